# docker build -t matchwise . && docker run --rm -v "$PWD":/data matchwise score ner run.conll -r gold.conll
FROM python:3.13-slim AS build
COPY pyproject.toml README.md LICENSE /source/
COPY release /source/release
COPY src /source/src
RUN python -m venv /opt/matchwise && /opt/matchwise/bin/pip install --no-cache-dir "/source[arrow,pydantic]"

FROM python:3.13-slim
COPY --from=build /opt/matchwise /opt/matchwise
ENV PATH=/opt/matchwise/bin:$PATH
USER 1000
WORKDIR /data
ENTRYPOINT ["matchwise"]
