import type { Mutant } from './mutant.ts';

export const PICTURES_IN_ORDER: Mutant = {
  name: 'pictures in order',
  defect:
    'Pictures are drawn in the order of the requests, whoever sent them. An address has no rate limit for pictures, and no share of their memory.',
  breaks: 'I13',
  faultFilter: 'undrawn pictures',
  changes: {
    'app.ts': [['return createImageRenderer({', 'return createImageRenderer({ maxQueued: 1_024,']],
    'domain/pictures/read-picture.ts': [
      [
        'bytes: await images.render(spec, requester)',
        "bytes: await images.render(spec, { ...requester, client: 'everybody' })",
      ],
    ],
    'http/send-picture.ts': [['const client = nameAddress(request);', 'const client = request.id;']],
    'routes/images.ts': [["addressPolicy: 'picture'", "addressPolicy: 'none'"]],
  },
};
