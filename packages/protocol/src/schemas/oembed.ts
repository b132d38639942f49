import Type, { type Static } from 'typebox';

const Pixels = Type.Integer({ minimum: 1 });

/** The response of GET /oembed (oEmbed 1.0). Its names are those of oEmbed. */
export const OEmbed = Type.Object(
  {
    version: Type.Unsafe<'1.0'>({ type: 'string', enum: ['1.0'] }),
    type: Type.Unsafe<'rich' | 'link'>({
      type: 'string',
      enum: ['rich', 'link'],
      description: '`link`, without `html`, if `maxwidth` or `maxheight` is too small for the embed.',
    }),
    title: Type.String({ description: "The token's headline." }),
    author_name: Type.String({ description: 'The name of the community.' }),
    author_url: Type.String({ format: 'uri', description: 'The web page of the community.' }),
    provider_name: Type.String(),
    provider_url: Type.String({ format: 'uri' }),
    cache_age: Type.Integer({ description: 'How many seconds the response can be kept.' }),
    html: Type.Optional(Type.String({ description: 'An `iframe` with the embed.' })),
    width: Type.Optional(Pixels),
    height: Type.Optional(Pixels),
    thumbnail_url: Type.Optional(
      Type.String({
        format: 'uri',
        description:
          'The picture of the token. Absent for an uploaded file, whose width and height are not known.',
      }),
    ),
    thumbnail_width: Type.Optional(Pixels),
    thumbnail_height: Type.Optional(Pixels),
  },
  { title: 'OEmbed' },
);
export type OEmbed = Static<typeof OEmbed>;
