"""The part of JSON Schema that docs/report.schema.json uses. A keyword that is not known
here is an error, so that no rule of the schema goes unchecked."""

TYPES = {"object": dict, "array": list, "string": str, "boolean": bool, "null": type(None)}
KNOWN = {"$schema", "$defs", "$ref", "title", "description", "type", "enum", "oneOf", "required",
         "properties", "additionalProperties", "items", "minItems", "maxItems", "minimum", "maximum"}


def is_type(value, name):
    if name in ("integer", "number"):
        whole = isinstance(value, int) and not isinstance(value, bool)
        return whole or (name == "number" and isinstance(value, float))
    return isinstance(value, TYPES[name])


def problems(value, schema, root=None, at="$"):
    """What is wrong with the value, as a list of sentences."""
    root = root or schema
    unknown = set(schema) - KNOWN
    assert not unknown, "schema.py does not know %s" % unknown
    found = []
    if "$ref" in schema:
        target = root
        for step in schema["$ref"].split("/")[1:]:
            target = target[step]
        found += problems(value, target, root, at)
    if "type" in schema:
        names = schema["type"] if isinstance(schema["type"], list) else [schema["type"]]
        if not any(is_type(value, name) for name in names):
            return found + ["%s is no %s" % (at, " or ".join(names))]
    if "enum" in schema and value not in schema["enum"]:
        found.append("%s is none of %s" % (at, schema["enum"]))
    if "minimum" in schema and is_type(value, "number") and value < schema["minimum"]:
        found.append("%s is below %s" % (at, schema["minimum"]))
    if "maximum" in schema and is_type(value, "number") and value > schema["maximum"]:
        found.append("%s is above %s" % (at, schema["maximum"]))
    if "oneOf" in schema and sum(not problems(value, s, root, at) for s in schema["oneOf"]) != 1:
        found.append("%s is not exactly one of what it may be" % at)
    if isinstance(value, dict):
        members = schema.get("properties", {})
        found += ["%s has no %s" % (at, name) for name in schema.get("required", []) if name not in value]
        for name, member in value.items():
            if name in members:
                found += problems(member, members[name], root, "%s.%s" % (at, name))
            elif schema.get("additionalProperties", True) is False:
                found.append("%s has %s, which is not in the schema" % (at, name))
    if isinstance(value, list):
        if not schema.get("minItems", 0) <= len(value) <= schema.get("maxItems", len(value)):
            found.append("%s has %d items" % (at, len(value)))
        for i, item in enumerate(value):
            found += problems(item, schema.get("items", {}), root, "%s[%d]" % (at, i))
    return found
