import { newAddress } from '@badge/test-support/signing';
import { expect } from 'vitest';
import { browserTest } from './harness/browser.ts';
import { openConsole } from './harness/console.ts';
import { A, FIRST, finished, giveFixture, pasteList, saveResult, site } from './harness/give-fixture.ts';

const fixture = giveFixture();
const { createManaged } = fixture;

browserTest(
  'people on a pasted list get their badge or their link, and a wrong line is corrected',
  async () => {
    const tokenId = await createManaged('Pasted');
    const page = await openConsole(site, `/badges/${tokenId}/give`, { key: fixture.key });
    await pasteList(
      page,
      `Name\tE-mail\tWallet\nAda\tada@example.org\t\nGrace\t\t${A}\nEve\teve@example\t\nFirst\t${FIRST}\t\nHedy Lamarr\t\t`,
    );
    await page.getByText('1 is wrong').waitFor();
    // A correction counts while it is typed, and the Escape key takes it back.
    const wrong = page.getByLabel('Address or e-mail in line 4');
    await wrong.press('End');
    await wrong.pressSequentially('.org');
    await page.getByRole('button', { name: 'Put 1 on the list, make 4 links' }).waitFor();
    await wrong.press('Escape');
    await page.getByText('1 is wrong').waitFor();
    await wrong.fill('eve@example.org');
    await page.getByRole('button', { name: 'Put 1 on the list, make 4 links' }).click();
    await finished(page);
    const rows = await saveResult(page);
    const claimUrl = `${site.url}/claim/${tokenId}`;
    expect(rows.map(([name, email, address, , result]) => [name, email, address, result])).toEqual([
      ['Ada', 'ada@example.org', '', 'Send this link'],
      ['Grace', '', A, 'Can claim it: send this link'],
      ['Eve', 'eve@example.org', '', 'Send this link'],
      ['First', FIRST, '', 'Send this link'],
      // Whoever has only a name has a link too.
      ['Hedy Lamarr', '', '', 'Send this link'],
    ]);
    expect(new Set(rows.map(([, , , link]) => link?.split('#')[0]))).toEqual(new Set([claimUrl]));
    const { data } = await fixture.badge.listContributors({ tokenId });
    const identified = data.filter(({ contributor }) => !contributor.startsWith('claimLink:'));
    expect(data).toHaveLength(5);
    expect(identified.map(({ contributor }) => contributor).sort()).toEqual(
      [A, 'ada@example.org', 'eve@example.org', FIRST].sort(),
    );
    const claimCode = rows[2]?.[3]?.split('#')[1] ?? '';
    const claim = await fixture.badge.claim({ tokenId, claimingAddress: newAddress(), claimCode });
    await claim.wait();

    // The badge knows the names, and who of them has it.
    await page.getByRole('button', { name: 'Give it to others' }).click();
    await page.goto(`/console/badges/${tokenId}`);
    const rowOf = (name: string) => page.getByRole('row').filter({ hasText: name });
    await rowOf('Eve').getByText('Has it').waitFor();
    await rowOf('Eve').getByText('eve@example.org').waitFor();
    await rowOf('Grace').getByText(A.slice(-4)).waitFor();
    await rowOf('Ada').getByText('Has a link').waitFor();
    await rowOf('Hedy Lamarr').getByText('Has a link').waitFor();

    // The same list again: there is nothing to do.
    await page.goto(`/console/badges/${tokenId}/give`);
    await pasteList(page, `ada@example.org\n${A}\neve@example.org\nHedy Lamarr`);
    for (const row of ['Has a link already', 'Is on the list already', 'Has it already, or has had it']) {
      await page.getByRole('cell', { name: row }).first().waitFor();
    }
    expect(await page.getByRole('cell', { name: 'Has a link already' }).count()).toBe(2);
    await page.getByRole('button', { name: 'Nothing to give', disabled: true }).waitFor();
  },
);
