import { Fragment } from 'react';

/** Short texts of different directions in a line, such as a name, an e-mail and a date. */
export function Details({ of: texts }: { of: readonly string[] }) {
  return texts.map((text, index) => (
    <Fragment key={text}>
      {index > 0 && ' · '}
      <bdi>{text}</bdi>
    </Fragment>
  ));
}
