type Json = null | boolean | number | string | Json[] | { [key: string]: Json };

/** Moves every schema that has a title to the document's components, where it is said once, by that name. */
export function nameSchemas<Document extends { paths?: object; components?: object }>(
  document: Document,
): Document {
  const schemas: Record<string, Json> = {};

  function walk(value: Json): Json {
    if (Array.isArray(value)) return value.map(walk);
    if (typeof value !== 'object' || value === null) return value;
    const walked = Object.fromEntries(Object.entries(value).map(([key, child]) => [key, walk(child)]));
    if (typeof value.title !== 'string') return walked;
    schemas[value.title] = walked;
    return { $ref: `#/components/schemas/${value.title}` };
  }

  const paths = walk(JSON.parse(JSON.stringify(document.paths ?? {})));
  return { ...document, paths, components: { ...document.components, schemas } };
}
