import { execFileSync, spawnSync } from 'node:child_process';
import { copyFileSync, globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { makeDataDir, startTestBadge } from '@badge/test-support/fixtures';
import { expect, onTestFinished, test } from 'vitest';
import { parse } from 'yaml';

const DEPLOY = join(import.meta.dirname, '..');
const ROOT = join(DEPLOY, '..');
const MAX_EXPOSURE = '20';

function makeDirectory(): string {
  const directory = mkdtempSync(join(tmpdir(), 'badge-deploy-files-'));
  onTestFinished(() => rmSync(directory, { recursive: true }));
  return directory;
}

// Here the guide quotes a file, and says where it belongs.
test.each([['deploy.md', '/etc/badge/badge.env', 'systemd/badge.env']])(
  '%s quotes %s as it is in deploy/%s',
  (guide, path, file) => {
    const text = readFileSync(join(ROOT, 'docs/guides', guide), 'utf8');
    const [, quoted] =
      new RegExp(`Save this as \`${path}\`.*\\n\\n\`\`\`\\w+\\n([\\s\\S]*?)\`\`\``).exec(text) ?? [];
    expect(quoted).toBe(readFileSync(join(DEPLOY, file), 'utf8'));
  },
);

test('every file that the guide quotes is compared', () => {
  const text = readFileSync(join(ROOT, 'docs/guides/deploy.md'), 'utf8');
  expect(text.match(/Save this as/g)).toHaveLength(1);
});

test.each(globSync('systemd/*.service', { cwd: DEPLOY }))('%s has an exposure of at most 2.0', (unit) => {
  const file = join(DEPLOY, unit);
  execFileSync('systemd-analyze', ['security', '--offline=true', `--threshold=${MAX_EXPOSURE}`, file]);
});

// The most that a process of the service needed in attacks is 0.81 GB (docs/results.md), and it has 11
// threads.
test.each([
  ['badge-api@.service', 'MemoryMax=1536M', 'TasksMax=128'],
  ['badge-worker.service', 'MemoryMax=1G', 'TasksMax=128'],
])('%s has limits', (unit, ...limits) => {
  const lines = readFileSync(join(DEPLOY, 'systemd', unit), 'utf8').split('\n');
  expect(lines).toEqual(expect.arrayContaining(limits));
});

test('every service of Compose has limits', () => {
  const { services } = parse(readFileSync(join(ROOT, 'compose.yaml'), 'utf8'), { merge: true }) as {
    services: Record<string, Record<string, unknown>>;
  };
  for (const [name, { mem_limit, pids_limit }] of Object.entries(services)) {
    expect([name, mem_limit, pids_limit]).toEqual([
      name,
      expect.stringMatching(/^\d+m$/),
      expect.any(Number),
    ]);
  }
});

test('Compose creates each key, and the services read how the last backup ended, but no backup', () => {
  const { services } = parse(readFileSync(join(ROOT, 'compose.yaml'), 'utf8'), { merge: true }) as {
    services: Record<string, { environment?: Record<string, string>; volumes: string[] }>;
  };
  const prepare = readFileSync(join(DEPLOY, 'compose/prepare.sh'), 'utf8');
  const status = services.backup?.environment?.BADGE_BACKUP_STATUS_FILE ?? '';
  const [, volume = ''] = /^\/(.+)\/status$/.exec(status) ?? [];
  expect(services.backup?.volumes).toContain(`${volume}:/${volume}`);
  expect(services.prepare?.volumes).toContain(`${volume}:/${volume}`);
  expect(prepare).toContain(`chown postgres:postgres /${volume}\n`);
  for (const name of ['api-1', 'api-2', 'worker']) {
    const { environment = {}, volumes = [] } = services[name] ?? {};
    expect(environment).toMatchObject({ BADGE_BACKUP_STATUS_FILE: status });
    expect(volumes).toContain(`${volume}:/${volume}:ro`);
    expect(volumes.filter((one) => one.startsWith('backup:'))).toEqual([]);
    const keys = Object.values(environment).flatMap((value) => /^\/keys\/(.+)$/.exec(value)?.[1] ?? []);
    expect(keys).toContain('metrics-key');
    for (const key of keys) expect(prepare).toContain(`| create ${key}\n`);
  }
});

test('systemd accepts the units', () => {
  const directory = makeDirectory();
  const units = globSync('systemd/*.{service,timer}', { cwd: DEPLOY });
  const paths = units.map((unit) => {
    const path = join(directory, unit.replace('systemd/', ''));
    // The programs are not installed here.
    const text = readFileSync(join(DEPLOY, unit), 'utf8').replaceAll(
      /^ExecStart=\S+/gm,
      'ExecStart=/bin/true',
    );
    writeFileSync(path, text);
    return path;
  });
  const verify = () => {
    const { stdout, stderr, status } = spawnSync('systemd-analyze', ['verify', ...paths], {
      encoding: 'utf8',
    });
    return { status, output: stdout + stderr };
  };
  expect(verify()).toEqual({ status: 0, output: '' });
  // Also with the secrets as credentials.
  for (const unit of ['badge-api@.service', 'badge-worker.service']) {
    mkdirSync(join(directory, `${unit}.d`));
    const dropIn = join(DEPLOY, 'systemd/credentials.conf');
    copyFileSync(dropIn, join(directory, `${unit}.d/credentials.conf`));
  }
  expect(verify()).toEqual({ status: 0, output: '' });
});

test('the drop-in of systemd names a credential for each file variable of badge.env', () => {
  const dropIn = readFileSync(join(DEPLOY, 'systemd/credentials.conf'), 'utf8');
  const variables = readFileSync(join(DEPLOY, 'systemd/badge.env'), 'utf8').match(/^\w+_FILE(?==)/gm) ?? [];
  expect(variables).toContain('BADGE_METRICS_KEY_FILE');
  // How the last backup ended is no secret.
  const secrets = variables.filter((variable) => variable !== 'BADGE_BACKUP_STATUS_FILE');
  for (const variable of [...secrets, 'DATABASE_URL_FILE']) {
    const [, id = ''] = new RegExp(`^Environment=${variable}=%d/(\\S+)$`, 'm').exec(dropIn) ?? [];
    expect(dropIn.split('\n')).toContain(`LoadCredential=${id}:/etc/badge/secrets/${id}`);
  }
});

test('promtool accepts the alert rules, and each fires when it should', () => {
  const cwd = join(DEPLOY, 'prometheus');
  execFileSync('promtool', ['check', 'rules', 'badge.rules.yml'], { cwd });
  execFileSync('promtool', ['test', 'rules', 'badge.rules.test.yml'], { cwd });
  const rules = readFileSync(join(cwd, 'badge.rules.yml'), 'utf8');
  const tested = readFileSync(join(cwd, 'badge.rules.test.yml'), 'utf8');
  for (const [, name] of rules.matchAll(/alert: (\w+)/g)) expect(tested).toContain(`{alertname="${name}"}`);
});

test('each alert has a severity, and a link to what to do', () => {
  const operations = readFileSync(join(ROOT, 'docs/operations.md'), 'utf8');
  const anchors = [...operations.matchAll(/^### (\w+)$/gm)].map(([, heading = '']) => heading.toLowerCase());
  const { groups } = parse(readFileSync(join(DEPLOY, 'prometheus/badge.rules.yml'), 'utf8')) as {
    groups: {
      rules: { alert: string; labels: object; annotations: { summary: string; runbook_url: string } }[];
    }[];
  };
  const rules = groups.flatMap((group) => group.rules);
  expect(rules.length).toBeGreaterThan(10);
  for (const { alert, labels, annotations } of rules) {
    expect(labels, alert).toEqual({ severity: expect.stringMatching(/^(critical|warning)$/) });
    expect(annotations.summary, alert).toMatch(/^\S.*\.$|: /);
    const [, page, anchor] = /^https:\/\/.*\/(docs\/[\w-]+\.md)#(\S+)$/.exec(annotations.runbook_url) ?? [];
    expect([page, anchor], alert).toEqual(['docs/operations.md', alert.toLowerCase()]);
    expect(anchors).toContain(anchor);
  }
  expect(anchors.filter((anchor) => anchor.startsWith('badge'))).toHaveLength(rules.length);
});

test('the dashboard and the alert rules use metrics that the service has, and every metric of its own', async () => {
  const service = await startTestBadge({
    BADGE_DATA_DIR: await makeDataDir(),
    BADGE_BACKUP_STATUS_FILE: '/nowhere/status',
  });
  const text = await (await fetch(`${service.url}/metrics`)).text();
  const exported = new Set([...text.matchAll(/^# TYPE (\S+) (\w+)$/gm)].map(([, name]) => name));
  const dashboard = JSON.parse(readFileSync(join(DEPLOY, 'grafana/badge.json'), 'utf8')) as {
    panels: { targets: { expr: string }[] }[];
  };
  const queries = dashboard.panels.flatMap(({ targets }) => targets.map(({ expr }) => expr));
  const rules = readFileSync(join(DEPLOY, 'prometheus/badge.rules.yml'), 'utf8');
  const namesIn = (query: string) => query.match(/\b(badge|process|nodejs)_\w+/g) ?? [];
  const used = new Set(
    namesIn([...queries, rules].join('\n')).map((name) => name.replace(/_(bucket|count|sum)$/, '')),
  );
  expect([...used].filter((name) => !exported.has(name))).toEqual([]);
  const own = [...exported].filter((name) => name?.startsWith('badge_'));
  expect(own.filter((name) => !used.has(name ?? ''))).toEqual([]);
  // promtool checks the queries, if they are written as rules.
  const directory = makeDirectory();
  const recorded = queries.map((expr, index) => ({
    record: `query_${index}`,
    expr: expr.replaceAll('$__rate_interval', '1m'),
  }));
  writeFileSync(
    join(directory, 'queries.yml'),
    JSON.stringify({ groups: [{ name: 'queries', rules: recorded }] }),
  );
  execFileSync('promtool', ['check', 'rules', join(directory, 'queries.yml')]);
});
