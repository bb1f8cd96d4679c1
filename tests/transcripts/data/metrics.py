from matchwise import edit, eq, f1, iou

rel = f1("relations", eq("type") * eq("subj") * eq("obj"))
soft = f1("relations", eq("type") * edit("subj") * edit("obj"))
half = f1("relations", edit("type"))
boxes = f1("boxes", iou())
xs = f1("xs")
