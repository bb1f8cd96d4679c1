"""The report: one page of HTML about one or several systems."""
