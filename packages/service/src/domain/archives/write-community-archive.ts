import { rename, rm } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { Encrypter } from 'age-encryption';
import { COMMUNITY_NOUNS, communityRowsOf, PEOPLE } from '../../archive/community-nouns.ts';
import { fileOf, rowsOf } from '../../archive/lines.ts';
import {
  type CommunityManifest,
  FORMAT_VERSION,
  SIGNED_CREDENTIALS_FILE,
  STATUS_LISTS_FOLDER,
} from '../../archive/manifest.ts';
import type { Progress } from '../../archive/progress.ts';
import { inSnapshot } from '../../archive/source.ts';
import { ArchiveError } from '../../archive/tar.ts';
import {
  type ArchiveWriter,
  createArchive,
  type Piece,
  readLinesOf,
  toPicture,
} from '../../archive/write-files.ts';
import type { Context, DatabaseTransaction } from '../../context.ts';
import type { Encryption } from '../../encryption.ts';
import type { Row } from '../../storage/archive.ts';
import { findCommunities } from '../../storage/communities.ts';
import { findDeployment } from '../../storage/deployment.ts';
import type { PersonalFields } from '../../storage/recipients.ts';
import { VERSION } from '../../version.ts';
import { decryptPerson } from '../recipients/rules.ts';
import {
  MAX_ARCHIVED_CREDENTIALS,
  readCredentialLines,
  readStatusLists,
  recordCredentials,
  type SigningContext,
} from './read-held-credentials.ts';

/** What of an installation the archive of a community needs. */
export type ArchiveContext = SigningContext & Pick<Context, 'encryption'>;

/** What an archive has about people. `recipientKey` is that of age: who has its identity can read them. */
export type PeopleChoice = { kind: 'none' | 'plain' } | { kind: 'encrypted'; recipientKey: string };

export interface CommunityArchiveOptions {
  communityId: string;
  people: PeopleChoice;
  progress: Progress;
  signal?: AbortSignal;
  /** With more badges, there are no credentials. For tests. */
  maxCredentials?: number;
}

/**
 * Writes everything of a community to a file, as it is at one moment. Replaces the file if it exists. Returns
 * the manifest. Throws `ArchiveError` if there can be no archive.
 */
export async function writeCommunityArchive(
  context: ArchiveContext,
  file: string,
  options: CommunityArchiveOptions,
): Promise<CommunityManifest> {
  if (options.people.kind === 'encrypted') createEncrypter(options.people.recipientKey);
  const part = `${file}.part`;
  const { communityId, signal, maxCredentials: max = MAX_ARCHIVED_CREDENTIALS } = options;
  try {
    const [community] = await findCommunities(context.database, [communityId]);
    if (community === undefined) throw new ArchiveError(`there is no community ${communityId}`);
    const credentials = await recordCredentials(context, communityId, {
      max,
      signal,
      progress: options.progress,
    });
    const manifest = await inSnapshot(context.database, (tx) =>
      writeFiles(context, tx, part, { ...options, ...credentials }),
    );
    await rename(part, file);
    return manifest;
  } finally {
    await rm(part, { force: true });
  }
}

async function writeFiles(
  context: ArchiveContext,
  tx: DatabaseTransaction,
  part: string,
  {
    communityId,
    people,
    progress,
    signal,
    leftOut,
    held,
  }: CommunityArchiveOptions & CommunityManifest['credentials'] & { held: number },
): Promise<CommunityManifest> {
  const { settings, encryption } = context;
  const deployment = await findDeployment(tx);
  if (deployment === null) throw new ArchiveError('the database is empty: no service has used it yet');
  const archive = await createArchive(part, { progress, signal });
  try {
    const pictures: ReturnType<typeof toPicture>[] = [];
    for (const noun of COMMUNITY_NOUNS) {
      const ofCommunity = communityRowsOf(noun, communityId);
      // Whoever has revoked a badge can have named its owner.
      if (noun.name === 'audit-log' && people.kind === 'none') ofCommunity.hidden.push('reason');
      const lines = readLinesOf(
        tx,
        noun,
        { ...rowsOf(noun), ofCommunity },
        {
          onRows: (found) => {
            if (noun.name === 'pictures') pictures.push(...found.map((row) => toPicture(tx, row)));
          },
        },
      );
      await archive.addLines(fileOf(noun), lines);
    }
    if (people.kind !== 'none') await addPeople(archive, { tx, communityId, encryption, people });
    if (leftOut === null) await addCredentials(archive, { context, tx, communityId, signal, held, progress });
    for (const { file, content } of pictures) await archive.addBytes(file, content);
    const manifest: CommunityManifest = {
      format: 'badge',
      formatVersion: FORMAT_VERSION,
      serviceVersion: VERSION,
      scope: 'community',
      deployment,
      communityId,
      publicUrl: settings.publicUrl,
      people: people.kind,
      credentials: { leftOut },
      files: archive.files,
    };
    await archive.end(manifest);
    return manifest;
  } finally {
    await archive.close();
  }
}

async function addCredentials(
  archive: ArchiveWriter,
  {
    context,
    tx,
    communityId,
    signal,
    held,
    progress,
  }: {
    context: ArchiveContext;
    tx: DatabaseTransaction;
    communityId: string;
    signal: AbortSignal | undefined;
    held: number;
    progress: Progress;
  },
): Promise<void> {
  const requester = { client: `archive of ${communityId}`, signal };
  await archive.addLines(
    SIGNED_CREDENTIALS_FILE,
    readCredentialLines(context, tx, { communityId, requester, held, progress }),
  );
  for await (const { name, bytes } of readStatusLists(context, tx, communityId))
    await archive.addBytes(`${STATUS_LISTS_FOLDER}${name}`, [bytes]);
}

async function addPeople(
  archive: ArchiveWriter,
  {
    tx,
    communityId,
    encryption,
    people,
  }: {
    tx: DatabaseTransaction;
    communityId: string;
    encryption: Encryption | null;
    people: PeopleChoice;
  },
): Promise<void> {
  if (encryption === null)
    throw new ArchiveError('there is no encryption key, so nothing about people can be read');
  const rows = { ...rowsOf(PEOPLE), ofCommunity: communityRowsOf(PEOPLE, communityId) };
  const lines = readLinesOf(tx, PEOPLE, rows, { toRow: (row) => decryptRow(encryption, row) });
  if (people.kind !== 'encrypted') {
    await archive.addLines(fileOf(PEOPLE), lines);
    return;
  }
  await archive.addBytes(`${fileOf(PEOPLE)}.age`, await encryptFor(people.recipientKey, lines));
}

function decryptRow(encryption: Encryption, row: Row): Row {
  const { contributor_key: key, ...person } = row as unknown as PersonalFields & { contributor_key: Buffer };
  return { ...row, ...decryptPerson(encryption, key, person) };
}

async function encryptFor(
  recipientKey: string,
  lines: AsyncGenerator<Piece>,
): Promise<AsyncIterable<Uint8Array>> {
  const encrypter = createEncrypter(recipientKey);
  async function* read() {
    for await (const { bytes } of lines) yield bytes;
  }
  return await encrypter.encrypt(Readable.toWeb(Readable.from(read())) as ReadableStream<Uint8Array>);
}

/** Returns what encrypts for a key of age. Throws `ArchiveError` if the text is none. */
export function createEncrypter(recipientKey: string): Encrypter {
  const encrypter = new Encrypter();
  try {
    encrypter.addRecipient(recipientKey);
  } catch {
    throw new ArchiveError('the key is not a valid age recipient');
  }
  return encrypter;
}
