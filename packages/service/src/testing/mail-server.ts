import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { type ParsedMail, simpleParser } from 'mailparser';
import { SMTPServer, type SMTPServerOptions } from 'smtp-server';

/** An error that the server sends: its code, and what it says. */
export interface SmtpRefusal {
  responseCode: number;
  message: string;
}

export interface MailServer {
  /** The value of `BADGE_SMTP_URL`. */
  url: string;
  /** The mails that were received, with the address of the envelope. */
  received: (ParsedMail & { recipient: string })[];
  /** Returns the refusal of an address, if it is refused. By default, none is. */
  refuse: (address: string) => SmtpRefusal | null;
  /** Waits until so many mails were received. */
  waitForMails(count: number): Promise<MailServer['received']>;
  stop(): Promise<void>;
}

/** Starts a mail server on this machine. With `password`, it needs the user `badge` and this password. */
export async function startMailServer({
  password,
  ...options
}: { password?: string } & SMTPServerOptions = {}): Promise<MailServer> {
  const received: MailServer['received'] = [];
  const listeners = new Set<() => void>();
  const smtp = new SMTPServer({
    disabledCommands: ['STARTTLS'],
    authOptional: password === undefined,
    allowInsecureAuth: true,
    onAuth: (auth, _session, callback) => {
      if (auth.username === 'badge' && auth.password === password) callback(null, { user: 'badge' });
      else callback(toError({ responseCode: 535, message: '5.7.8 Authentication failed' }));
    },
    onRcptTo: ({ address }, _session, callback) => {
      const refusal = server.refuse(address);
      callback(refusal === null ? null : toError(refusal));
    },
    onData: (stream, session, callback) => {
      simpleParser(stream).then((mail) => {
        received.push(Object.assign(mail, { recipient: session.envelope.rcptTo[0]?.address ?? '' }));
        for (const listener of listeners) listener();
        callback(null);
      }, callback);
    },
    ...options,
  });
  // Connections that break do not concern the tests.
  smtp.on('error', () => undefined);
  const listening = smtp.listen(0, '127.0.0.1');
  await once(listening, 'listening');
  const { port } = listening.address() as AddressInfo;
  const server: MailServer = {
    url: `smtp://${password === undefined ? '' : `badge:${password}@`}127.0.0.1:${port}`,
    received,
    refuse: () => null,
    waitForMails: (count) =>
      new Promise((resolve) => {
        const check = () => {
          if (received.length < count) return;
          listeners.delete(check);
          resolve(received);
        };
        listeners.add(check);
        check();
      }),
    stop: () => new Promise((resolve) => smtp.close(resolve)),
  };
  return server;
}

function toError({ responseCode, message }: SmtpRefusal): Error {
  return Object.assign(new Error(message), { responseCode });
}
