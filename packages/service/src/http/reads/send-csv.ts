import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Piece, Reader } from '../../domain/reader.ts';
import { formatCsvHeader, formatCsvRow } from './format-csv.ts';
import { sendTexts } from './send-page.ts';

const CSV_TYPE = 'text/csv; charset=utf-8';
// Without it, Excel does not read a file as UTF-8.
const BYTE_ORDER_MARK = '\uFEFF';

/**
 * Reads a whole list piece by piece within the limits of the client's address, and sends it as CSV with these
 * fields. Each piece counts as a page of 1,000 items. If an error occurs before the first piece is sent, the
 * response is a problem object. A later error closes the connection.
 */
export async function sendCsv(
  request: FastifyRequest,
  reply: FastifyReply,
  { fileName, fields }: { fileName: string; fields: string[] },
  readPieces: (reader: Reader) => AsyncGenerator<Piece<object>>,
): Promise<FastifyReply> {
  const reader = request.server.openReader(request, reply);
  const pieces = readPieces(reader);
  const { value: first } = await pieces.next();
  let isEnded = first === undefined || first.isLast;

  async function readText(): Promise<string | null> {
    if (isEnded) return null;
    const { value: piece } = await pieces.next();
    isEnded = piece === undefined || piece.isLast;
    return toRows(piece);
  }
  const toRows = (piece: Piece<object> | undefined) =>
    (piece?.items.splice(0) ?? []).map((item) => formatCsvRow(fields, { ...item })).join('');

  reply.type(CSV_TYPE).header('Content-Disposition', `attachment; filename="${fileName}"`);
  const firstText = BYTE_ORDER_MARK + formatCsvHeader(fields) + toRows(first);
  return sendTexts(request, reply, { reader, firstText, readText });
}
