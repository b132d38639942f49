import type { Mutant } from './mutant.ts';

const QUEUE = '      return { ...events, hasDeliveries: await queueDeliveries(tx, events) };\n';

export const LOST_DELIVERIES: Mutant = {
  name: 'lost deliveries',
  defect: 'Events are given to webhooks 300 ms after they were placed in the feed, in another transaction.',
  breaks: 'I9',
  changes: {
    'domain/events/place-events.ts': [
      [
        QUEUE,
        `      setTimeout(() => {
        context.transaction((later) => queueDeliveries(later, events)).catch(() => undefined);
      }, 300);
      return { ...events, hasDeliveries: false };
`,
      ],
    ],
  },
};
