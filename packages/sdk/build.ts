import { execFileSync } from 'node:child_process';
import {
  copyFileSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { gzipSync } from 'node:zlib';
import * as protocol from '@badge/protocol';
import { rolldown } from 'rolldown';
import { FIELD_COMMENTS } from './field-comments.ts';

const PACKAGE_DIR = import.meta.dirname;
const ROOT = join(PACKAGE_DIR, '../..');
const COMMENT_COLUMNS = 110;

/**
 * Builds the package into a folder: one module with what it needs of @badge/protocol, and its declarations.
 */
export async function buildSdk(outDir = join(PACKAGE_DIR, 'dist')): Promise<void> {
  mkdirSync(outDir, { recursive: true });
  const newDir = mkdtempSync(`${outDir}-`);
  try {
    const bundle = await openBundle();
    await bundle.write({ file: join(newDir, 'index.js'), format: 'esm' });
    await bundle.close();
    writeDeclarations(newDir);
    copyFileSync(join(ROOT, 'LICENSE'), join(newDir, 'LICENSE'));
    // Replaces file by file, so that tests that build and pack at the same time always find every file.
    const files = readdirSync(newDir);
    for (const file of files) renameSync(join(newDir, file), join(outDir, file));
    for (const file of readdirSync(outDir)) if (!files.includes(file)) rmSync(join(outDir, file));
  } finally {
    rmSync(newDir, { recursive: true });
  }
}

/** Returns the size of the whole package after minification and gzip, as an application would bundle it. */
export async function measureSdkBytes(): Promise<number> {
  const bundle = await openBundle();
  const { output } = await bundle.generate({ format: 'esm', minify: true });
  await bundle.close();
  return gzipSync(output[0].code, { level: 9 }).length;
}

function openBundle() {
  return rolldown({
    input: join(PACKAGE_DIR, 'src/index.ts'),
    platform: 'neutral',
    transform: { target: 'es2022' },
    // Only the typed data of @badge/protocol is used. Its schemas would bring TypeBox with them.
    treeshake: { moduleSideEffects: false },
    external: (name) => !name.startsWith('.') && !name.startsWith('/') && name !== '@badge/protocol',
    resolve: { alias: { '@badge/protocol': join(ROOT, 'packages/protocol/src/index.ts') } },
  });
}

function writeDeclarations(outDir: string): void {
  const emitted = mkdtempSync(join(tmpdir(), 'badge-sdk-'));
  try {
    const tsc = join(ROOT, 'node_modules/typescript/bin/tsc');
    execFileSync(process.execPath, [tsc, '-p', PACKAGE_DIR, '--outDir', emitted], { stdio: 'inherit' });
    for (const file of globSync(join(emitted, 'sdk/src/*.d.ts'))) {
      const text = readFileSync(file, 'utf8');
      writeFileSync(join(outDir, basename(file)), addFieldComments(toPublishedImports(text)));
    }
    const typedData = readFileSync(join(emitted, 'protocol/src/typed-data.d.ts'), 'utf8');
    const types = readFileSync(join(outDir, 'types.d.ts'), 'utf8');
    writeFileSync(join(outDir, 'protocol.d.ts'), addFieldComments(`${declareSchemas(types)}\n${typedData}`));
  } finally {
    rmSync(emitted, { recursive: true });
  }
}

function toPublishedImports(text: string): string {
  return text
    .replaceAll(/(["'])@badge\/protocol\1/g, "'./protocol.js'")
    .replaceAll(/(["'])(\.\/[\w-]+)\.ts\1/g, "'$2.js'");
}

const FIELD = /^( +)(?:readonly )?(\w+)\??: /;

/**
 * The fields of declarations that have no comment: the number of the line, the indentation and the name of
 * each.
 */
export function findFieldsWithoutComment(lines: string[]): { at: number; indent: string; name: string }[] {
  return lines.flatMap((line, at) => {
    const [, indent = '', name = ''] = FIELD.exec(line) ?? [];
    // In a list of parameters, `name:` is no field.
    const isField = name !== '' && line.trim().match(/[;{(|<]$/) !== null;
    return isField && !lines[at - 1]?.trim().endsWith('*/') ? [{ at, indent, name }] : [];
  });
}

function addFieldComments(text: string): string {
  const lines = text.split('\n');
  for (const { at, indent, name } of findFieldsWithoutComment(lines)) {
    const comment = FIELD_COMMENTS[name];
    if (comment !== undefined) lines[at] = `${indent}/** ${comment} */\n${lines[at]}`;
  }
  return lines.join('\n');
}

// The types of TypeBox are hard to read and would need TypeBox. So the schemas are written as plain types,
// with their descriptions as comments. check.ts compares the two.
interface Schema {
  title?: string;
  description?: string;
  type?: string | string[];
  const?: unknown;
  enum?: unknown[];
  anyOf?: Schema[];
  items?: Schema;
  properties?: Record<string, Schema>;
  required?: string[];
  patternProperties?: Record<string, Schema>;
  additionalProperties?: Schema | false;
}

/** Declares the schemas that a text names as `protocol.NAME`, and those that they contain. */
function declareSchemas(text: string): string {
  const schemas = new Map(
    Object.entries<unknown>(protocol).filter((entry): entry is [string, Schema] => isObjectSchema(entry[1])),
  );
  const names = new Map([...schemas].map(([name, { title = name }]) => [title, name]));
  const declared = new Map<string, string>();
  const wanted = [...text.matchAll(/\bprotocol\.(\w+)/g)].map(([, name = '']) => name);
  // `wanted` grows in this loop: the schemas that a declared one contains are declared too.
  for (const name of wanted) {
    const schema = schemas.get(name);
    if (declared.has(name) || schema === undefined) continue;
    const type = toType(schema, names, '');
    declared.set(name, `export type ${name} = ${type};\n`);
    wanted.push(...[...schemas.keys()].filter((other) => new RegExp(`\\b${other}\\b`).test(type)));
  }
  return [...declared.values()].join('\n');
}

/** Whether a value is the schema of an object, or of one of several objects. */
function isObjectSchema(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return ('type' in value && value.type === 'object') || ('anyOf' in value && 'title' in value);
}

function toType(schema: Schema, names: Map<string, string>, indent: string): string {
  if (schema.anyOf !== undefined)
    return schema.anyOf.map((one) => toNamedType(one, names, indent)).join(' | ');
  if (schema.const !== undefined) return JSON.stringify(schema.const);
  if (schema.enum !== undefined) return schema.enum.map((value) => JSON.stringify(value)).join(' | ');
  if (Array.isArray(schema.type))
    return schema.type.map((type) => toType({ ...schema, type }, names, indent)).join(' | ');
  switch (schema.type) {
    case 'integer':
      return 'number';
    case 'array':
      return `Array<${toNamedType(schema.items ?? {}, names, indent)}>`;
    case 'object':
      return toObjectType(schema, names, indent);
    default:
      return schema.type ?? 'unknown';
  }
}

/** The name of a schema that has one, otherwise its type. */
function toNamedType(schema: Schema, names: Map<string, string>, indent: string): string {
  const name = schema.title === undefined ? undefined : names.get(schema.title);
  return name ?? toType(schema, names, indent);
}

function toObjectType(schema: Schema, names: Map<string, string>, indent: string): string {
  const { properties = {}, required = [], patternProperties = {}, additionalProperties } = schema;
  const lines = Object.entries(properties).flatMap(([name, property]) => [
    ...toComment(property.description, `${indent}  `),
    `${indent}  ${/^\w+$/.test(name) ? name : JSON.stringify(name)}${required.includes(name) ? '' : '?'}: ${toNamedType(property, names, `${indent}  `)};`,
  ]);
  const [other = additionalProperties || undefined] = Object.values(patternProperties);
  // In TypeScript, the type of an index signature must include the types of all properties. So if there are
  // properties, the type is `unknown`.
  if (other !== undefined)
    lines.push(
      `${indent}  [name: string]: ${lines.length > 0 ? 'unknown' : toNamedType(other, names, indent)};`,
    );
  return `{\n${lines.join('\n')}\n${indent}}`;
}

function toComment(text: string | undefined, indent: string): string[] {
  if (text === undefined) return [];
  if (text.length < COMMENT_COLUMNS) return [`${indent}/** ${text} */`];
  const lines = text.match(new RegExp(`.{1,${COMMENT_COLUMNS}}(\\s|$)`, 'g')) ?? [];
  return [`${indent}/**`, ...lines.map((line) => `${indent} * ${line.trim()}`), `${indent} */`];
}

if (import.meta.main) await buildSdk();
