"""The JSON Schema of plans: pydantic's own, with short forms."""

from __future__ import annotations

from pydantic.json_schema import GenerateJsonSchema, JsonSchemaValue
from pydantic_core import core_schema


class PlanSchema(GenerateJsonSchema):
    """A JSON Schema in which a method and an objective may be bare names."""

    def function_before_schema(
        self, schema: core_schema.BeforeValidatorFunctionSchema
    ) -> JsonSchemaValue:
        long = super().function_before_schema(schema)
        inner = schema["schema"]
        if (
            "json_schema_input_schema" not in schema
            and inner["type"] == "tagged-union"
            and inner["discriminator"] == "name"
        ):
            return {"anyOf": [{"enum": list(inner["choices"])}, long]}
        return long
