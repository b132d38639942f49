import type { Body } from '../shapes.ts';
import { invalidAt, type Row, rowWithFields } from './row.ts';

const httpsUrl = 'Events are sent to an https URL';
const ownNetwork = 'Requests must not be sent into the network of the service';
const knownTypes = 'A webhook chooses from the types of events; a test event is always sent';
const uuid = '00000000-0000-4000-8000-000000000000';

const urlRow = (url: string, why: string): Row =>
  rowWithFields('updateWebhook', `\`"url": ${JSON.stringify(url)}\``, { url }, invalidAt('/url'), why);

const eventsRow = (events: unknown, response: string, why = knownTypes): Row =>
  rowWithFields('updateWebhook', `\`"events": ${JSON.stringify(events)}\``, { events }, response, why);

const creation = (title: string, body: Body, response: string, why: string): Row => ({
  call: 'POST /v1/communities/:communityId/webhooks',
  case: title,
  response,
  why,
  send: ({ call, communityId, operatorKey }) =>
    call(`/v1/communities/${communityId}/webhooks`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', 'X-API-Key': operatorKey },
      body: JSON.stringify(body),
    }),
});

/** A call of a webhook or a delivery that does not exist. */
const unknownRow = (call: string, response: string): Row => ({
  call,
  case: 'an unknown id',
  response,
  why: 'The webhook and the delivery must exist, in the community of the path',
  send: (fixture) => {
    const [method = '', path = ''] = call.split(' ');
    return fixture.call(
      path
        .replace(':communityId', fixture.communityId)
        .replace(':webhookId', uuid)
        .replace(':deliveryId', uuid),
      { method, headers: { 'X-API-Key': fixture.operatorKey } },
    );
  },
});

const WEBHOOK = '/v1/communities/:communityId/webhooks/:webhookId';
const url = 'https://example.org/';

export const webhookRows: Row[] = [
  ...['', 'example.org', 'https://', 'ftp://example.org/', 'javascript:alert(1)'].map((text) =>
    urlRow(text, httpsUrl),
  ),
  ...['https://example.org/a b', ' https://example.org/', 'https://example.org/\n'].map((text) =>
    urlRow(text, 'Values are never trimmed or repaired'),
  ),
  ...['https://user@example.org/', 'https://user:password@example.org/'].map((text) =>
    urlRow(text, 'No password is stored or sent'),
  ),
  urlRow('https://example.org/#part', 'A fragment is not sent'),
  ...['https://10.0.0.1/', 'https://169.254.169.254/', 'https://[fd00::1]/', 'https://0xa000001/'].map(
    (text) => urlRow(text, ownNetwork),
  ),
  rowWithFields(
    'updateWebhook',
    'a URL of 2,049 characters',
    { url: url.padEnd(2_049, 'a') },
    invalidAt('/url'),
    '1 to 2,048 characters',
  ),
  ...[1, null, {}, []].map((value) =>
    rowWithFields(
      'updateWebhook',
      `\`"url": ${JSON.stringify(value)}\``,
      { url: value },
      invalidAt('/url'),
      'Values are never coerced',
    ),
  ),
  eventsRow([], invalidAt('/events')),
  eventsRow(['badge.claimed', 'badge.claimed'], invalidAt('/events')),
  eventsRow(['badge.claimed', 'badge.invented'], invalidAt('/events/1')),
  eventsRow(['webhook.test'], invalidAt('/events/0')),
  eventsRow('badge.claimed', invalidAt('/events')),
  eventsRow([null], invalidAt('/events/0')),
  ...['"true"', '1', 'null'].map((literal) =>
    rowWithFields(
      'updateWebhook',
      `\`"isEnabled": ${literal}\``,
      { isEnabled: JSON.parse(literal) },
      invalidAt('/isEnabled'),
      'Values are never coerced',
    ),
  ),
  ...['secret', 'webhookId', 'disabledReason'].map((name) =>
    rowWithFields(
      'updateWebhook',
      `\`${name}\``,
      { [name]: 'x' },
      invalidAt(`/${name}`),
      'A PATCH with an unknown field would seem to change it',
    ),
  ),
  creation('`{}`', {}, invalidAt('/url', '/name'), 'The two fields are required'),
  creation('no name', { url }, invalidAt('/name'), 'The two fields are required'),
  creation('an empty name', { url, name: '' }, invalidAt('/name'), '1 to 100 characters'),
  creation(
    'a name of 101 characters',
    { url, name: 'a'.repeat(101) },
    invalidAt('/name'),
    '1 to 100 characters',
  ),
  creation('a private address', { url: 'https://192.168.0.1/', name: 'a' }, invalidAt('/url'), ownNetwork),
  ...(
    [
      ['DELETE', '', '404 WebhookNotFound'],
      ['POST', '/rotateSecret', '404 WebhookNotFound'],
      ['POST', '/test', '404 WebhookNotFound'],
      ['GET', '/deliveries', '404 WebhookNotFound'],
      ['POST', '/deliveries/:deliveryId/redeliver', '404 WebhookNotFound'],
    ] as const
  ).map(([method, rest, response]) => unknownRow(`${method} ${WEBHOOK}${rest}`, response)),
];
