import { MAIL_LANGUAGES, type MailLanguage, parseEmailAddress } from '@badge/protocol';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Context } from '../context.ts';
import { readCommunityRow } from '../domain/communities/read-community.ts';
import { readUnsubscription } from '../domain/invitations/read-unsubscription.ts';
import {
  checkResubscribeCode,
  requestResubscription,
  resubscribe,
} from '../domain/invitations/resubscribe.ts';
import { unsubscribe } from '../domain/invitations/unsubscribe.ts';
import { Refusal } from '../domain/refusal.ts';
import { nameAddress } from '../http/caller-names.ts';
import type { PrepareErrorResponse } from '../http/errors.ts';
import { FORM_PAGE_POLICY } from '../http/response-headers.ts';
import { escapeHtml } from '../mail/plain-text.ts';

const [URL_ENCODED, MULTIPART] = ['application/x-www-form-urlencoded', 'multipart/form-data'] as const;
const MAX_FORM_BYTES = 4 * 1024;
// The errors of a link that the service has not made, or whose hour is over.
const WRONG_LINK = ['NotFound', 'CommunityNotFound', 'ConfirmationCodeInvalid'];

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
  /** How an unsubscription is undone. */
  undo: string;
  undoAddress: string;
  undoButton: string;
  undoSent: string;
  undoSentText: string;
  undoQuestion: string;
  undone: string;
  undoneText: string;
  wrongAddress: string;
  tooMany: string;
  tooManyText: string;
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
    undo: 'Are you unsubscribed, and did not want to be? We send a mail to your address, with which you get mails again.',
    undoAddress: 'Your e-mail address',
    undoButton: 'Get mails again',
    undoSent: 'We have sent a mail',
    undoSentText: 'If this address wants no mails, it now gets one with a button. It works for an hour.',
    undoQuestion: 'Do you want these mails again?',
    undone: 'You get mails again',
    undoneText: 'The next mails of this community are sent to you again. What you missed is not sent later.',
    wrongAddress: 'This is not an e-mail address to which a mail can be sent.',
    tooMany: 'Too many mails were requested',
    tooManyText: 'Try again in an hour.',
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
    undo: '¿Estás de baja y no lo querías? Enviamos un correo a tu dirección para que vuelvas a recibir correos.',
    undoAddress: 'Tu dirección de correo',
    undoButton: 'Volver a recibir correos',
    undoSent: 'Hemos enviado un correo',
    undoSentText:
      'Si esta dirección estaba dada de baja, recibirá un correo con un botón, que funciona durante una hora.',
    undoQuestion: '¿Quieres volver a recibir estos correos?',
    undone: 'Vuelves a recibir correos',
    undoneText:
      'Los próximos correos de esta comunidad te llegarán. Los que no recibiste no se envían después.',
    wrongAddress: 'No es una dirección a la que se pueda enviar un correo.',
    tooMany: 'Se han pedido demasiados correos',
    tooManyText: 'Vuelve a intentarlo dentro de una hora.',
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
    undo: 'هل أُلغي اشتراكك ولم تكن تريد ذلك؟ نرسل رسالة إلى عنوانك تعيد بها استقبال الرسائل.',
    undoAddress: 'عنوان بريدك الإلكتروني',
    undoButton: 'استقبل الرسائل من جديد',
    undoSent: 'أرسلنا رسالة',
    undoSentText: 'إذا كان هذا العنوان قد ألغى اشتراكه فستصله رسالة فيها زر يعمل لمدة ساعة.',
    undoQuestion: 'هل تريد هذه الرسائل من جديد؟',
    undone: 'تصلك الرسائل من جديد',
    undoneText: 'ستصلك رسائل هذا المجتمع القادمة. أما ما فاتك فلا يُرسل لاحقًا.',
    wrongAddress: 'هذا ليس عنوانًا يمكن إرسال رسالة إليه.',
    tooMany: 'طُلبت رسائل كثيرة جدًا',
    tooManyText: 'حاول مرة أخرى بعد ساعة.',
  },
};

interface UnsubscribeLink {
  communityId: string;
  person: string;
  /** The code of the mail with which an unsubscription is undone. */
  code: string;
  texts: PageTexts;
  language: MailLanguage;
}

/**
 * Serves the page of the unsubscribe links. A GET only asks, because scanners of mails follow links. A POST
 * unsubscribes: the form's, and that of a mail program (RFC 8058), which sends `List-Unsubscribe=One-Click`.
 * The page works without scripts.
 */
export async function addUnsubscribePage(
  web: FastifyInstance,
  { context, prepareErrorResponse }: { context: Context; prepareErrorResponse: PrepareErrorResponse },
): Promise<void> {
  // RFC 8058 allows both types. Only the form needs its fields, and a browser sends it as the first one.
  web.removeAllContentTypeParsers();
  web.addContentTypeParser(
    URL_ENCODED,
    { parseAs: 'string', bodyLimit: MAX_FORM_BYTES },
    async (_request: FastifyRequest, body: string) => body,
  );
  web.addContentTypeParser(MULTIPART, { parseAs: 'string', bodyLimit: MAX_FORM_BYTES }, async () => '');
  const config = {
    access: 'public',
    addressPolicy: 'page',
    bodyTypes: [URL_ENCODED, MULTIPART],
  } as const;

  web.setErrorHandler((error, request, reply) => {
    const problem = prepareErrorResponse(error, request, reply);
    const link = readLink(request);
    const { wrong, wrongText, tooMany, tooManyText } = link.texts;
    const name = error instanceof Refusal ? error.errorName : null;
    if (name !== null && WRONG_LINK.includes(name))
      return sendPage(reply, link, wrong, [`<p>${escapeHtml(wrongText)}</p>`]);
    if (name === 'RateLimited') return sendPage(reply, link, tooMany, [`<p>${escapeHtml(tooManyText)}</p>`]);
    return reply.send(problem);
  });

  web.get('/unsubscribe', { schema: { hide: true }, config }, async (request, reply) => {
    const link = readLink(request);
    const { texts, code, communityId } = link;
    if (code !== '') {
      // Scanners of mails follow links, so only the button undoes it.
      checkResubscribeCode(context, { communityId, code });
      const button = `<button>${escapeHtml(texts.undoButton)}</button>`;
      return sendPage(reply, link, texts.undoQuestion, [`<form method="post">${button}</form>`]);
    }
    // Without a person, the address of the page only undoes: a community can show it to who gets no mails.
    if (link.person === '' && communityId !== '') {
      await readCommunityRow(context, communityId);
      return sendPage(reply, link, texts.undoButton, writeUndoForm(link));
    }
    const { community } = await readUnsubscription(context, link);
    const host = new URL(context.settings.publicUrl).host;
    return sendPage(reply, link, texts.title, [
      `<p>${escapeHtml(texts.question(community))}</p>`,
      '<form method="post">',
      `<button name="scope" value="community">${escapeHtml(texts.fromCommunity(community))}</button>`,
      `<button name="scope" value="all" class="second">${escapeHtml(texts.fromAll(host))}</button>`,
      '</form>',
      '<hr>',
      ...writeUndoForm(link),
    ]);
  });

  web.post('/unsubscribe', { schema: { hide: true }, config }, async (request, reply) => {
    const link = readLink(request);
    const { texts, communityId, code, language } = link;
    const fields = new URLSearchParams(String(request.body ?? ''));
    if (code !== '') {
      await resubscribe(context, { communityId, code });
      return sendPage(reply, link, texts.undone, [`<p>${escapeHtml(texts.undoneText)}</p>`]);
    }
    const email = fields.get('email');
    if (email !== null) {
      if (typeof parseEmailAddress(email) === 'string') {
        return sendPage(reply.code(400), link, texts.wrongAddress, writeUndoForm(link));
      }
      const client = nameAddress(request);
      await requestResubscription(context, { communityId, email, language, client });
      return sendPage(reply, link, texts.undoSent, [`<p>${escapeHtml(texts.undoSentText)}</p>`]);
    }
    await unsubscribe(context, link, fields.get('scope') === 'all' ? 'all' : 'community');
    const done = `<p>${escapeHtml(texts.doneText)}</p>`;
    return sendPage(reply, link, texts.done, [done, ...writeUndoForm(link)]);
  });
}

// Whoever has a forwarded mail can unsubscribe its receiver, who gets the mails again with the form on this
// page.
function writeUndoForm({ texts, communityId, language }: UnsubscribeLink): string[] {
  const query = new URLSearchParams({ community: communityId, language });
  return [
    `<p>${escapeHtml(texts.undo)}</p>`,
    `<form method="post" action="/unsubscribe?${escapeHtml(String(query))}">`,
    `<label>${escapeHtml(texts.undoAddress)} <input name="email" type="email" required maxlength="254" autocomplete="email" dir="ltr"></label>`,
    `<button class="second">${escapeHtml(texts.undoButton)}</button>`,
    '</form>',
  ];
}

function readLink({ query }: FastifyRequest): UnsubscribeLink {
  const { community, person, language, code } = query as Record<string, unknown>;
  const known = MAIL_LANGUAGES.find((one) => one === language) ?? 'en';
  return {
    communityId: toText(community),
    person: toText(person),
    code: toText(code),
    language: known,
    texts: TEXTS[known],
  };
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
hr { margin: 2.5rem 0 1.5rem; border: 0; border-top: 1px solid light-dark(#d9cfc5, #4a3f38); }
form { display: grid; gap: 0.75rem; }
button { font: inherit; font-weight: 600; padding: 0.8rem 1.2rem; border: 2px solid #b3301a; border-radius: 10px; background: #b3301a; color: #ffffff; cursor: pointer; }
.second { background: transparent; color: light-dark(#b3301a, #ff9a6b); border-color: light-dark(#b3301a, #ff9a6b); }
input { font: inherit; box-sizing: border-box; width: 100%; padding: 0.7rem; border: 2px solid light-dark(#66594f, #bbaea4); border-radius: 10px; background: transparent; color: inherit; }
button:focus-visible, input:focus-visible { outline: 3px solid light-dark(#2563eb, #7fb2ff); outline-offset: 2px; }`;

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
