import Type, { type Static } from 'typebox';
import { LIMITS } from '../limits.ts';
import { Choice, Count, Nullable, Timestamp } from './field-types.ts';
import { OPERATION_STATUSES } from './operation.ts';

/** The forms in which badges arrive. */
export const ARRIVAL_FORMATS = ['badge', 'listings', 'poap', 'openbadges', 'csv'] as const;
export type ArrivalFormat = (typeof ARRIVAL_FORMATS)[number];

/** Which people an archive of a community has. */
export const EXPORTED_PEOPLE = ['none', 'plain', 'encrypted'] as const;

/** The body of POST /v1/communities/:communityId/exports. */
export const NewExport = Type.Object(
  {
    people: Choice([...EXPORTED_PEOPLE], {
      description:
        'The names, e-mails, notes and identifiers of people: `none` of them; in `plain` text; or `encrypted` for `recipientKey`.',
    }),
    recipientKey: Type.Optional(
      Type.String({
        maxLength: LIMITS.recipientKeyCharacters,
        description:
          'The age recipient whose identity can read the people, such as `age1…`. Required with `encrypted`, and only then.',
      }),
    ),
  },
  { title: 'NewExport' },
);
export type NewExport = Static<typeof NewExport>;

const TransferStatus = Choice([...OPERATION_STATUSES], {
  description: '`pending`: it waits for its turn. `success` and `error` are final.',
});
const TransferId = Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER });
const Failure = Nullable(Type.String({ description: 'Why it failed. Null unless `status` is `error`.' }));

/** The response of GET /v1/communities/:communityId/exports/:exportId. */
export const CommunityExport = Type.Object(
  {
    exportId: TransferId,
    status: TransferStatus,
    people: Choice([...EXPORTED_PEOPLE], { description: 'Which people the file has.' }),
    error: Failure,
    percent: Nullable(
      Type.Integer({
        minimum: 0,
        maximum: 100,
        description: 'How much of it is made. Null if that is not known.',
      }),
    ),
    bytes: Nullable({ ...Count, description: 'The size of the file. Null until `status` is `success`.' }),
    sha256: Nullable(
      Type.String({ description: 'The SHA-256 of the file, in hex. Null until `status` is `success`.' }),
    ),
    createdAtTimestamp: Timestamp,
    expiresAtTimestamp: {
      ...Timestamp,
      description:
        'When the file is deleted, and the export too. Until it is made: 24 hours after the request.',
    },
    downloadUrl: Nullable(
      Type.String({
        format: 'uri',
        description:
          'The URL of the file. It is secret, and works without a key for one download until `expiresAtTimestamp`, even if the key that asked for it was deleted. Null until `status` is `success`. After a download, the next response has another URL.',
      }),
    ),
  },
  { title: 'CommunityExport' },
);
export type CommunityExport = Static<typeof CommunityExport>;

const importTexts = {
  format: Choice([...ARRIVAL_FORMATS], {
    description:
      'The form of the file. Of `badge`, people who are encrypted cannot be read here: only the command `import` takes an identity.',
  }),
  isDryRun: Choice(['true', 'false'], {
    description: 'Whether nothing is imported, and the import says what would be.',
  }),
  mapping: Type.Optional(
    Type.String({
      description:
        'A JSON object. For `csv`: the column of each field, such as `{"headline": "Title", "email": "E-mail"}`. For `poap`: `dateOrder` of CSV files, `dmy` or `mdy`. For `listings`: `service`, the name of the service, and `communityId`, if the files have several communities.',
    }),
  ),
};

/** The text parts of the form that uploads badges. */
export const ImportFields = Type.Object(importTexts);
export type ImportFields = Static<typeof ImportFields>;

/** The form of POST /v1/communities/:communityId/imports. */
export const ImportForm = Type.Object(
  {
    file: Type.Unsafe<Uint8Array>({
      type: 'string',
      // Generators of clients need the format of OpenAPI 3.0, too.
      format: 'binary',
      contentMediaType: 'application/octet-stream',
      description: `The file, of at most ${LIMITS.importBytes / 1024 / 1024} MiB.`,
    }),
    ...importTexts,
  },
  { title: 'ImportForm' },
);

const line = Type.String({
  description: 'Where it is in the file: the number of a line, or the name of a file in it, or both.',
});

/** The response of GET /v1/communities/:communityId/imports/:importId. */
export const BadgeImport = Type.Object(
  {
    importId: TransferId,
    status: TransferStatus,
    format: Choice([...ARRIVAL_FORMATS]),
    isDryRun: Type.Boolean(),
    error: Failure,
    lines: {
      ...Count,
      description: 'How many lines were read so far. A line is a badge, a person or a link.',
    },
    imported: { ...Count, description: 'How many of them were imported. In a dry run: would be.' },
    skipped: {
      ...Count,
      description: 'How many of them are there already, or left out because nobody can mend them.',
    },
    problemCount: { ...Count, description: 'How many of them cannot be imported.' },
    problems: Type.Array(Type.Object({ line, detail: Type.String() }), {
      description: `What cannot be imported, and why: the first ${LIMITS.importProblems.toLocaleString('en')}.`,
    }),
    plan: Type.Union(
      [
        Type.Array(
          Type.Object({
            line,
            outcome: Choice(['imported', 'skipped', 'problem'], {
              description: 'What would happen to the line.',
            }),
            detail: Type.String({ description: 'What it is, or why it is not imported.' }),
          }),
        ),
        Type.Null(),
      ],
      {
        description: `Of a dry run: what would happen to the first ${LIMITS.importProblems.toLocaleString('en')} lines. Otherwise null.`,
      },
    ),
    createdAtTimestamp: Timestamp,
    completedAtTimestamp: Nullable({ ...Timestamp, description: 'When it became final, or null.' }),
    expiresAtTimestamp: { ...Timestamp, description: 'When the import can no longer be read.' },
  },
  { title: 'BadgeImport' },
);
export type BadgeImport = Static<typeof BadgeImport>;
