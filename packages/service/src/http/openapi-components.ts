type Json = null | boolean | number | string | Json[] | { [key: string]: Json };

/** Moves every schema that has an `$id` to the document's components, where it is said once and has its name. */
export function nameSchemas<Document extends object>(document: Document): Document {
  const schemas: Record<string, Json> = {};

  function walk(value: Json): Json {
    if (Array.isArray(value)) return value.map(walk);
    if (typeof value !== 'object' || value === null) return value;
    const { $id: id, ...rest } = value;
    const walked = Object.fromEntries(Object.entries(rest).map(([key, child]) => [key, walk(child)]));
    if (typeof id !== 'string') return walked;
    schemas[id] = walked;
    return { $ref: `#/components/schemas/${id}` };
  }

  const plain = JSON.parse(JSON.stringify(document)) as { components?: { [key: string]: Json } };
  const walked = walk(plain as Json) as { components?: { [key: string]: Json } };
  return { ...walked, components: { ...walked.components, schemas } } as unknown as Document;
}
