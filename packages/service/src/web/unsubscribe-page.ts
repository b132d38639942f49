import { MAIL_LANGUAGES, type MailLanguage } from '@badge/protocol';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Context } from '../context.ts';
import { readUnsubscription } from '../domain/invitations/read-unsubscription.ts';
import { unsubscribe } from '../domain/invitations/unsubscribe.ts';
import { Refusal } from '../domain/refusal.ts';
import type { PrepareErrorResponse } from '../http/errors.ts';
import { FORM_PAGE_POLICY } from '../http/response-headers.ts';
import { escapeHtml } from '../mail/plain-text.ts';

const MAX_FORM_BYTES = 4 * 1024;

interface PageTexts {
  direction: 'ltr' | 'rtl';
  title: string;
  question(community: string): string;
  fromCommunity(community: string): string;
  fromAll(host: string): string;
  done: string;
  doneText: string;
  wrong: string;
  wrongText: string;
}

const TEXTS: Record<MailLanguage, PageTexts> = {
  en: {
    direction: 'ltr',
    title: 'Unsubscribe',
    question: (community) => `Do you want no more mails from ${community}?`,
    fromCommunity: (community) => `No more mails from ${community}`,
    fromAll: (host) => `No more mails from any community at ${host}`,
    done: 'You are unsubscribed',
    doneText: 'You get no more of these mails. A badge that you were sent can still be claimed.',
    wrong: 'This link is incomplete',
    wrongText: 'Open the link in the mail again, or copy all of it.',
  },
  es: {
    direction: 'ltr',
    title: 'Darse de baja',
    question: (community) => `¿No quieres recibir más correos de ${community}?`,
    fromCommunity: (community) => `No recibir más correos de ${community}`,
    fromAll: (host) => `No recibir más correos de ninguna comunidad en ${host}`,
    done: 'Te has dado de baja',
    doneText: 'No recibirás más correos de este tipo. Aún puedes obtener las insignias que te enviaron.',
    wrong: 'Este enlace está incompleto',
    wrongText: 'Vuelve a abrir el enlace del correo o cópialo entero.',
  },
  ar: {
    direction: 'rtl',
    title: 'إلغاء الاشتراك',
    question: (community) => `ألا تريد مزيدًا من رسائل ${community}؟`,
    fromCommunity: (community) => `لا مزيد من رسائل ${community}`,
    fromAll: (host) => `لا مزيد من رسائل أي مجتمع في ${host}`,
    done: 'أُلغي اشتراكك',
    doneText: 'لن تصلك رسائل كهذه بعد الآن. ولا يزال بإمكانك استلام الشارات التي أُرسلت إليك.',
    wrong: 'هذا الرابط ناقص',
    wrongText: 'افتح الرابط الموجود في الرسالة مرة أخرى، أو انسخه كاملًا.',
  },
};

interface UnsubscribeLink {
  communityId: string;
  person: string;
  texts: PageTexts;
  language: MailLanguage;
}

/**
 * Serves the page of the unsubscribe links. A GET only asks, because scanners of mails follow links. A POST unsubscribes: the
 * form's, and that of a mail program (RFC 8058), which sends `List-Unsubscribe=One-Click`. The page works without scripts.
 */
export async function addUnsubscribePage(
  web: FastifyInstance,
  { context, prepareErrorResponse }: { context: Context; prepareErrorResponse: PrepareErrorResponse },
): Promise<void> {
  const config = { access: 'public', addressPolicy: 'page' } as const;
  // RFC 8058 allows both types. Only the form needs its fields, and a browser sends it as the first one.
  web.removeAllContentTypeParsers();
  web.addContentTypeParser(
    'application/x-www-form-urlencoded',
    { parseAs: 'string', bodyLimit: MAX_FORM_BYTES },
    async (_request: FastifyRequest, body: string) => body,
  );
  web.addContentTypeParser(
    'multipart/form-data',
    { parseAs: 'string', bodyLimit: MAX_FORM_BYTES },
    async () => '',
  );

  web.setErrorHandler((error, request, reply) => {
    const problem = prepareErrorResponse(error, request, reply);
    if (!(error instanceof Refusal) || error.errorName !== 'NotFound') return reply.send(problem);
    const { texts, language } = readLink(request);
    return sendPage(reply, { texts, language }, texts.wrong, [`<p>${escapeHtml(texts.wrongText)}</p>`]);
  });

  web.get('/unsubscribe', { schema: { hide: true }, config }, async (request, reply) => {
    const link = readLink(request);
    const { community } = await readUnsubscription(context, link);
    const { texts } = link;
    const host = new URL(context.settings.publicUrl).host;
    return sendPage(reply, link, texts.title, [
      `<p>${escapeHtml(texts.question(community))}</p>`,
      '<form method="post">',
      `<button name="scope" value="community">${escapeHtml(texts.fromCommunity(community))}</button>`,
      `<button name="scope" value="all" class="second">${escapeHtml(texts.fromAll(host))}</button>`,
      '</form>',
    ]);
  });

  web.post('/unsubscribe', { schema: { hide: true }, config }, async (request, reply) => {
    const link = readLink(request);
    const scope = new URLSearchParams(String(request.body ?? '')).get('scope');
    await unsubscribe(context, link, scope === 'all' ? 'all' : 'community');
    return sendPage(reply, link, link.texts.done, [`<p>${escapeHtml(link.texts.doneText)}</p>`]);
  });
}

function readLink({ query }: FastifyRequest): UnsubscribeLink {
  const { community, person, language } = query as Record<string, unknown>;
  const known = MAIL_LANGUAGES.find((one) => one === language) ?? 'en';
  return { communityId: toText(community), person: toText(person), language: known, texts: TEXTS[known] };
}

// A parameter that is repeated is an array.
function toText(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

const STYLE = `
:root { color-scheme: light dark; }
body { margin: 0; background: light-dark(#fbf8f4, #14100e); color: light-dark(#1f1613, #f8f1ea); font: 17px/1.5 system-ui, sans-serif; }
main { max-width: 34rem; margin: 12vh auto; padding: 0 1.25rem; }
h1 { font-size: 1.6rem; line-height: 1.25; }
form { display: grid; gap: 0.75rem; }
button { font: inherit; font-weight: 600; padding: 0.8rem 1.2rem; border: 2px solid #b3301a; border-radius: 10px; background: #b3301a; color: #ffffff; cursor: pointer; }
.second { background: transparent; color: light-dark(#b3301a, #ff9a6b); border-color: light-dark(#b3301a, #ff9a6b); }
button:focus-visible { outline: 3px solid light-dark(#2563eb, #7fb2ff); outline-offset: 2px; }`;

function sendPage(
  reply: FastifyReply,
  { texts, language }: Pick<UnsubscribeLink, 'texts' | 'language'>,
  title: string,
  content: string[],
): FastifyReply {
  return (
    reply
      .type('text/html; charset=utf-8')
      // After an error, the serializer is that of problem objects.
      .serializer((page: string) => page)
      .header('Content-Security-Policy', FORM_PAGE_POLICY)
      .header('Cache-Control', 'no-store')
      .header('X-Robots-Tag', 'noindex')
      .send(
        `<!doctype html>
<html lang="${language}" dir="${texts.direction}"><head><meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escapeHtml(title)}</title><style>${STYLE}</style></head>
<body><main><h1>${escapeHtml(title)}</h1>
${content.join('\n')}
</main></body></html>
`,
      )
  );
}
