import { randomUUID } from 'node:crypto';
import type { DocumentedOperation, Schema } from '../shapes.ts';
import type { GeneratedRequest } from './send.ts';

/** An operation of the OpenAPI document, with its method and path template. */
export interface ApiOperation extends DocumentedOperation {
  method: string;
  template: string;
  contentType: string | null;
  bodySchema: Schema | null;
}

/** A request before it is encoded. */
export interface UnencodedRequest {
  operation: ApiOperation;
  params: Record<string, string>;
  query: [name: string, value: string][];
  headers: Record<string, string | string[]>;
  body: unknown;
}

/** Encodes a request: its path, its query, and its body as JSON or as a form. */
export function encodeRequest({
  operation,
  params,
  query,
  headers,
  body,
}: UnencodedRequest): GeneratedRequest {
  const { template, contentType } = operation;
  const path = template.replace(/\{([^}]+)\}/g, (_match, name) => encodeURIComponent(params[name] ?? ''));
  const search = query.map((pair) => pair.map(encodeURIComponent).join('=')).join('&');
  const encoded = contentType === null ? null : encodeBody(contentType, body);
  return {
    method: operation.method.toUpperCase(),
    path: search === '' ? path : `${path}?${search}`,
    headers: { ...headers, ...(encoded === null ? {} : { 'Content-Type': encoded.type }) },
    body: encoded?.bytes ?? null,
  };
}

function encodeBody(contentType: string, body: unknown): { type: string; bytes: Buffer } {
  if (contentType !== 'multipart/form-data') {
    return { type: contentType, bytes: Buffer.from(JSON.stringify(body)) };
  }
  const boundary = `form-${randomUUID()}`;
  const parts = Object.entries(body ?? {}).flatMap(([name, value]) => [
    `--${boundary}\r\nContent-Disposition: form-data; name="${name.replace(/["\r\n]/g, '')}"`,
    value instanceof Uint8Array ? '; filename="file"\r\n\r\n' : '\r\n\r\n',
    value instanceof Uint8Array || typeof value === 'string' ? value : JSON.stringify(value),
    '\r\n',
  ]);
  const bytes = [...parts, `--${boundary}--\r\n`].map((part) => Buffer.from(part as string | Uint8Array));
  return { type: `${contentType}; boundary=${boundary}`, bytes: Buffer.concat(bytes) };
}
