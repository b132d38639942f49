import type { MailLanguage } from '@badge/protocol';

/** What the texts of a mail contain. All are plain text in one line. */
export interface MailNames {
  /** The name of the community. */
  community: string;
  headline: string;
  /** Where the service is, such as `badges.example.org`. */
  host: string;
  /**
   * The shortened address of a wallet, written from left to right in every language; empty if the mail is for
   * none.
   */
  wallet: string;
  /** The day of the invitation, and the end of the badge; empty if the mail is not about it. */
  invited: string;
  end: string;
}

interface MailTexts {
  direction: 'ltr' | 'rtl';
  /** The locale of dates. */
  locale: string;
  hello(name: string | null): string;
  invitation: {
    subject(names: MailNames): string;
    title(names: MailNames): string;
    lead(names: MailNames): string;
    button: string;
  };
  /** What differs in an invitation for a wallet on the allowlist. */
  listed: { lead(names: MailNames): string; note: string };
  /** Asks for a confirmation of the address. */
  confirmation: {
    subject(names: MailNames): string;
    title(names: MailNames): string;
    lead(names: MailNames): string;
    button: string;
    hour: string;
    /** What the organisers and others see of who confirms. */
    seen(names: MailNames): string;
    ignore: string;
  };
  /** What differs in a confirmation that claims: the badge is kept with the address. */
  keptConfirmation: { lead(names: MailNames): string; button: string };
  /** The link of a confirmed reservation. */
  reservation: {
    subject(names: MailNames): string;
    title(names: MailNames): string;
    lead(names: MailNames): string;
    button: string;
    /** Two ways to get a wallet. */
    wallet: string;
    whySent(names: MailNames): string;
  };
  /** Reminds somebody who was invited and has not claimed. */
  reminder: {
    subject(names: MailNames): string;
    title(names: MailNames): string;
    lead(names: MailNames): string;
    button: string;
    whySent(names: MailNames): string;
  };
  /** What differs if the mail is for a wallet on the allowlist. */
  listedReminder: { lead(names: MailNames): string };
  /** Tells an owner when the badge ends. */
  expiryReminder: {
    subject(names: MailNames): string;
    title(names: MailNames): string;
    lead(names: MailNames): string;
    button: string;
    note: string;
    whySent(names: MailNames): string;
  };
  /** Asks who wanted no mails whether they shall come again. */
  resubscription: {
    subject(names: MailNames): string;
    title(names: MailNames): string;
    lead(names: MailNames): string;
    button: string;
    hour: string;
  };
  /** Has the code with which somebody signs in. */
  signIn: {
    subject(names: MailNames): string;
    title(names: MailNames): string;
    /** Before the code. */
    lead(names: MailNames): string;
    button: string;
    note: string;
  };
  /** Before what the organiser writes. */
  writes(names: MailNames): string;
  whatItIs: string;
  /** Follows `whatItIs` if no wallet is known. */
  thePage: string;
  from(time: string): string;
  until(date: string): string;
  personal: string;
  openAddress: string;
  whySent(names: MailNames): string;
  unsubscribe(names: MailNames): string;
}

/** The texts of the mails. */
export const MAIL_TEXTS: Record<MailLanguage, MailTexts> = {
  en: {
    direction: 'ltr',
    locale: 'en-GB',
    hello: (name) => (name === null ? 'Hello,' : `Hello ${name},`),
    invitation: {
      subject: ({ community, headline }) => `${community} has a badge for you: ${headline}`,
      title: ({ community }) => `A badge for you from ${community}`,
      lead: ({ community, headline }) => `${community} gives you the badge “${headline}”.`,
      button: 'Get your badge',
    },
    listed: {
      lead: ({ community, headline, wallet }) =>
        `${community} gives you the badge “${headline}”. You are on its list: get it with your wallet ${wallet}.`,
      note: 'Nobody else can take it: it is for this wallet. Open the link in the browser or the app where you have the wallet.',
    },
    confirmation: {
      subject: ({ headline }) => `Confirm your address for the badge ${headline}`,
      title: () => 'Confirm your address',
      lead: ({ community, headline }) =>
        `Somebody wants the badge “${headline}” of ${community} reserved for this address. If it was you, confirm it.`,
      button: 'Confirm and reserve',
      hour: 'The button works for an hour. Until you confirm, nothing happens.',
      seen: ({ community }) =>
        `If you confirm, the organizers of ${community} see this address in their list of people. Everybody can see the badge, but not your address.`,
      ignore: 'If it was not you, ignore this mail. Nothing will happen.',
    },
    keptConfirmation: {
      lead: ({ community, headline }) =>
        `Somebody wants the badge “${headline}” of ${community} for this address. If it was you, confirm it: then the badge is yours, and is kept with this address.`,
      button: 'Confirm and get the badge',
    },
    reservation: {
      subject: ({ headline }) => `Your badge is reserved: ${headline}`,
      title: () => 'Your badge is reserved',
      lead: ({ community, headline }) =>
        `The badge “${headline}” of ${community} waits for you. Open the link whenever you have a wallet.`,
      button: 'Get your badge',
      wallet:
        'A wallet is free, and takes some minutes. Two ways: install the app MetaMask (https://metamask.io) on your phone or as an extension of your browser. Or install the app Coinbase Wallet (https://www.coinbase.com/wallet). Write down the recovery phrase on paper, and show it to nobody.',
      whySent: ({ host }) => `You get this mail because you have confirmed this address at ${host}.`,
    },
    reminder: {
      subject: ({ community, headline }) => `Your badge from ${community} still waits: ${headline}`,
      title: () => 'Your badge still waits for you',
      lead: ({ community, headline, invited }) =>
        `On ${invited}, ${community} gave you the badge “${headline}”. You have not got it yet.`,
      button: 'Get your badge',
      whySent: ({ community, host }) =>
        `You get this mail because ${community} has entered your address at ${host} and invited you, and the badge was not claimed. You get at most three reminders, and none after you have claimed it. If you do not know ${community}, ignore this mail.`,
    },
    listedReminder: {
      lead: ({ community, headline, invited, wallet }) =>
        `On ${invited}, ${community} gave you the badge “${headline}”. You have not got it yet. You are on its list: get it with your wallet ${wallet}.`,
    },
    expiryReminder: {
      subject: ({ headline, end }) => `Your badge ends on ${end}: ${headline}`,
      title: () => 'Your badge will end',
      lead: ({ community, headline, end, wallet }) =>
        `Your badge “${headline}” from ${community} is valid until ${end}. It is in the wallet ${wallet}.`,
      button: 'See your badge',
      note: 'Only the community can renew it. If you have a question about it, ask them.',
      whySent: ({ community, host }) =>
        `You get this mail because you have a badge from ${community} at ${host} that will end. If you do not know ${community}, ignore this mail.`,
    },
    resubscription: {
      subject: ({ community }) => `Do you want mails from ${community} again?`,
      title: () => 'Get mails again',
      lead: ({ community }) =>
        `Somebody wants mails from ${community} to be sent to this address again. If it was you, confirm it.`,
      button: 'Get mails again',
      hour: 'The button works for an hour. Until then, nothing changes.',
    },
    signIn: {
      subject: ({ host }) => `Your code to sign in at ${host}`,
      title: ({ host }) => `Sign in at ${host}`,
      lead: ({ host }) =>
        `Somebody wants to sign in at ${host} with this address. If it was you, type this code on the page of ${host} where you asked for it:`,
      button: 'Open the sign-in page',
      note: 'The code can be used once, within 15 minutes. Give it to nobody, and type it nowhere else: whoever has it can sign in as you.',
    },
    writes: ({ community }) => `${community} writes:`,
    whatItIs:
      'A badge is a digital token that shows what you did or where you were. It is yours, everyone can check it, and it costs nothing.',
    thePage: 'The page shows you how to get it, also if you have no wallet yet.',
    from: (time) => `You can get it from ${time}.`,
    until: (date) => `You can get it until ${date}.`,
    personal: 'The link is for you only. Whoever has it can get the badge, so do not pass this mail on.',
    openAddress: 'If the button does not work, open this address:',
    whySent: ({ community, host }) =>
      `You get this mail because ${community} has entered your address at ${host}. If you do not know ${community}, ignore this mail.`,
    unsubscribe: ({ community }) => `No more mails from ${community}`,
  },
  es: {
    direction: 'ltr',
    locale: 'es',
    hello: (name) => (name === null ? 'Hola:' : `Hola, ${name}:`),
    invitation: {
      subject: ({ community, headline }) => `${community} tiene una insignia para ti: ${headline}`,
      title: ({ community }) => `Una insignia para ti de ${community}`,
      lead: ({ community, headline }) => `${community} te da la insignia «${headline}».`,
      button: 'Obtener mi insignia',
    },
    listed: {
      lead: ({ community, headline, wallet }) =>
        `${community} te da la insignia «${headline}». Estás en su lista: obtenla con tu cartera ${wallet}.`,
      note: 'Nadie más puede quedársela: es para esta cartera. Abre el enlace en el navegador o la aplicación donde tienes la cartera.',
    },
    confirmation: {
      subject: ({ headline }) => `Confirma tu dirección para la insignia ${headline}`,
      title: () => 'Confirma tu dirección',
      lead: ({ community, headline }) =>
        `Alguien quiere reservar la insignia «${headline}» de ${community} para esta dirección. Si has sido tú, confírmalo.`,
      button: 'Confirmar y reservar',
      hour: 'El botón funciona durante una hora. Hasta que confirmes no pasa nada.',
      seen: ({ community }) =>
        `Si confirmas, los organizadores de ${community} ven esta dirección en su lista de personas. Todos pueden ver la insignia, pero no tu dirección.`,
      ignore: 'Si no has sido tú, ignora este correo. No pasará nada.',
    },
    keptConfirmation: {
      lead: ({ community, headline }) =>
        `Alguien quiere la insignia «${headline}» de ${community} para esta dirección. Si has sido tú, confírmalo: entonces la insignia es tuya y se guarda con esta dirección.`,
      button: 'Confirmar y obtener la insignia',
    },
    reservation: {
      subject: ({ headline }) => `Tu insignia está reservada: ${headline}`,
      title: () => 'Tu insignia está reservada',
      lead: ({ community, headline }) =>
        `La insignia «${headline}» de ${community} te espera. Abre el enlace cuando tengas una cartera.`,
      button: 'Obtener mi insignia',
      wallet:
        'Una cartera es gratis y se crea en unos minutos. Hay dos formas: instala la aplicación MetaMask (https://metamask.io) en tu móvil o como extensión de tu navegador. O instala la aplicación Coinbase Wallet (https://www.coinbase.com/wallet). Apunta la frase de recuperación en papel y no se la enseñes a nadie.',
      whySent: ({ host }) => `Recibes este correo porque has confirmado esta dirección en ${host}.`,
    },
    reminder: {
      subject: ({ community, headline }) => `Tu insignia de ${community} sigue esperándote: ${headline}`,
      title: () => 'Tu insignia sigue esperándote',
      lead: ({ community, headline, invited }) =>
        `El ${invited}, ${community} te dio la insignia «${headline}». Todavía no la tienes.`,
      button: 'Obtener mi insignia',
      whySent: ({ community, host }) =>
        `Recibes este correo porque ${community} ha introducido tu dirección en ${host} y te invitó, y nadie ha obtenido la insignia. Recibes como máximo tres recordatorios, y ninguno después de obtenerla. Si no conoces ${community}, ignora este correo.`,
    },
    listedReminder: {
      lead: ({ community, headline, invited, wallet }) =>
        `El ${invited}, ${community} te dio la insignia «${headline}». Todavía no la tienes. Estás en su lista: obtenla con tu cartera ${wallet}.`,
    },
    expiryReminder: {
      subject: ({ headline, end }) => `Tu insignia termina el ${end}: ${headline}`,
      title: () => 'Tu insignia va a terminar',
      lead: ({ community, headline, end, wallet }) =>
        `Tu insignia «${headline}» de ${community} es válida hasta el ${end}. Está en la cartera ${wallet}.`,
      button: 'Ver mi insignia',
      note: 'Solo la comunidad puede renovarla. Si tienes alguna pregunta, habla con ella.',
      whySent: ({ community, host }) =>
        `Recibes este correo porque tienes una insignia de ${community} en ${host} que va a terminar. Si no conoces ${community}, ignora este correo.`,
    },
    resubscription: {
      subject: ({ community }) => `¿Quieres volver a recibir correos de ${community}?`,
      title: () => 'Volver a recibir correos',
      lead: ({ community }) =>
        `Alguien quiere que los correos de ${community} vuelvan a llegar a esta dirección. Si has sido tú, confírmalo.`,
      button: 'Volver a recibir correos',
      hour: 'El botón funciona durante una hora. Hasta entonces no cambia nada.',
    },
    signIn: {
      subject: ({ host }) => `Tu código para iniciar sesión en ${host}`,
      title: ({ host }) => `Inicia sesión en ${host}`,
      lead: ({ host }) =>
        `Alguien quiere iniciar sesión en ${host} con esta dirección. Si has sido tú, escribe este código en la página de ${host} donde lo pediste:`,
      button: 'Abrir la página de inicio de sesión',
      note: 'El código se puede usar una vez, en 15 minutos. No se lo des a nadie ni lo escribas en otro sitio: quien lo tenga puede iniciar sesión como si fueras tú.',
    },
    writes: ({ community }) => `${community} escribe:`,
    whatItIs:
      'Una insignia es una ficha digital que muestra qué hiciste o dónde estuviste. Es tuya, cualquiera puede comprobarla y no cuesta nada.',
    thePage: 'La página te explica cómo obtenerla, también si aún no tienes una cartera.',
    from: (time) => `Puedes obtenerla desde el ${time}.`,
    until: (date) => `Puedes obtenerla hasta el ${date}.`,
    personal:
      'El enlace es solo para ti. Quien lo tenga puede obtener la insignia, así que no reenvíes este correo.',
    openAddress: 'Si el botón no funciona, abre esta dirección:',
    whySent: ({ community, host }) =>
      `Recibes este correo porque ${community} ha introducido tu dirección en ${host}. Si no conoces ${community}, ignora este correo.`,
    unsubscribe: ({ community }) => `No recibir más correos de ${community}`,
  },
  ar: {
    direction: 'rtl',
    locale: 'ar',
    hello: (name) => (name === null ? 'مرحبًا،' : `مرحبًا ${name}،`),
    invitation: {
      subject: ({ community, headline }) => `لديك شارة من ${community}: ${headline}`,
      title: ({ community }) => `شارة لك من ${community}`,
      lead: ({ community, headline }) => `تمنحك ${community} الشارة «${headline}».`,
      button: 'استلم شارتك',
    },
    listed: {
      lead: ({ community, headline, wallet }) =>
        `تمنحك ${community} الشارة «${headline}». أنت في قائمتها: استلمها بمحفظتك ${wallet}.`,
      note: 'لا يمكن لغيرك أخذها، فهي لهذه المحفظة. افتح الرابط في المتصفح أو التطبيق الذي فيه محفظتك.',
    },
    confirmation: {
      subject: ({ headline }) => `أكّد عنوانك لشارة ${headline}`,
      title: () => 'أكّد عنوانك',
      lead: ({ community, headline }) =>
        `يريد أحدهم حجز الشارة «${headline}» من ${community} لهذا العنوان. إذا كنت أنت فأكّد ذلك.`,
      button: 'أكّد واحجز',
      hour: 'يعمل الزر لمدة ساعة. ولن يحدث شيء قبل أن تؤكّد.',
      seen: ({ community }) =>
        `إذا أكّدت فسيرى منظّمو ${community} هذا العنوان في قائمة الأشخاص لديهم. يمكن للجميع رؤية الشارة، لكن لا يمكنهم رؤية عنوانك.`,
      ignore: 'إذا لم تكن أنت فتجاهل هذه الرسالة. لن يحدث شيء.',
    },
    keptConfirmation: {
      lead: ({ community, headline }) =>
        `يريد أحدهم الشارة «${headline}» من ${community} لهذا العنوان. إذا كنت أنت فأكّد ذلك: عندها تصبح الشارة لك وتُحفظ مع هذا العنوان.`,
      button: 'أكّد واحصل على الشارة',
    },
    reservation: {
      subject: ({ headline }) => `شارتك محجوزة: ${headline}`,
      title: () => 'شارتك محجوزة',
      lead: ({ community, headline }) =>
        `الشارة «${headline}» من ${community} بانتظارك. افتح الرابط متى أصبحت لديك محفظة.`,
      button: 'استلم شارتك',
      wallet:
        'المحفظة مجانية ويستغرق إنشاؤها بضع دقائق. هناك طريقتان: ثبّت تطبيق MetaMask (https://metamask.io) على هاتفك أو كإضافة لمتصفحك. أو ثبّت تطبيق Coinbase Wallet (https://www.coinbase.com/wallet). اكتب عبارة الاسترداد على ورقة ولا تُرِها لأحد.',
      whySent: ({ host }) => `وصلتك هذه الرسالة لأنك أكّدت هذا العنوان في ${host}.`,
    },
    reminder: {
      subject: ({ community, headline }) => `شارتك من ${community} ما زالت بانتظارك: ${headline}`,
      title: () => 'شارتك ما زالت بانتظارك',
      lead: ({ community, headline, invited }) =>
        `في ${invited} منحتك ${community} الشارة «${headline}». لم تستلمها بعد.`,
      button: 'استلم شارتك',
      whySent: ({ community, host }) =>
        `وصلتك هذه الرسالة لأن ${community} أدخلت عنوانك في ${host} ودعتك، ولم تُستلم الشارة بعد. تصلك ثلاثة تذكيرات على الأكثر، ولا يصلك أي تذكير بعد استلامها. إذا كنت لا تعرف ${community} فتجاهل هذه الرسالة.`,
    },
    listedReminder: {
      lead: ({ community, headline, invited, wallet }) =>
        `في ${invited} منحتك ${community} الشارة «${headline}». لم تستلمها بعد. أنت في قائمتها: استلمها بمحفظتك ${wallet}.`,
    },
    expiryReminder: {
      subject: ({ headline, end }) => `تنتهي شارتك في ${end}: ${headline}`,
      title: () => 'ستنتهي شارتك',
      lead: ({ community, headline, end, wallet }) =>
        `شارتك «${headline}» من ${community} صالحة حتى ${end}. وهي في المحفظة ${wallet}.`,
      button: 'اعرض شارتك',
      note: 'يمكن للمجتمع وحده أن يجددها. إذا كان لديك سؤال عنها فاسأله.',
      whySent: ({ community, host }) =>
        `وصلتك هذه الرسالة لأن لديك شارة من ${community} في ${host} ستنتهي. إذا كنت لا تعرف ${community} فتجاهل هذه الرسالة.`,
    },
    resubscription: {
      subject: ({ community }) => `هل تريد رسائل ${community} من جديد؟`,
      title: () => 'استقبال الرسائل من جديد',
      lead: ({ community }) =>
        `يريد أحدهم أن تصل رسائل ${community} إلى هذا العنوان من جديد. إذا كنت أنت فأكّد ذلك.`,
      button: 'استقبل الرسائل من جديد',
      hour: 'يعمل الزر لمدة ساعة. وحتى ذلك الحين لا يتغير شيء.',
    },
    signIn: {
      subject: ({ host }) => `رمزك لتسجيل الدخول إلى ${host}`,
      title: ({ host }) => `تسجيل الدخول إلى ${host}`,
      lead: ({ host }) =>
        `يريد أحدهم تسجيل الدخول إلى ${host} بهذا العنوان. إذا كنت أنت فاكتب هذا الرمز في صفحة ${host} التي طلبته فيها:`,
      button: 'افتح صفحة تسجيل الدخول',
      note: 'يمكن استعمال الرمز مرة واحدة، خلال 15 دقيقة. لا تعطه لأحد ولا تكتبه في مكان آخر: من يحصل عليه يمكنه الدخول باسمك.',
    },
    writes: ({ community }) => `تكتب ${community}:`,
    whatItIs: 'الشارة رمز رقمي يُظهر ما فعلته أو أين كنت. هي ملكك، ويمكن للجميع التحقق منها، ولا تكلّف شيئًا.',
    thePage: 'تشرح لك الصفحة كيف تستلمها، حتى إن لم تكن لديك محفظة بعد.',
    from: (time) => `يمكنك استلامها ابتداءً من ${time}.`,
    until: (date) => `يمكنك استلامها حتى ${date}.`,
    personal: 'الرابط لك وحدك. من يحصل عليه يمكنه استلام الشارة، فلا تُعِد توجيه هذه الرسالة.',
    openAddress: 'إذا لم يعمل الزر فافتح هذا العنوان:',
    whySent: ({ community, host }) =>
      `وصلتك هذه الرسالة لأن ${community} أدخلت عنوانك في ${host}. إذا كنت لا تعرف ${community} فتجاهل هذه الرسالة.`,
    unsubscribe: ({ community }) => `لا مزيد من رسائل ${community}`,
  },
};
