import { execFileSync } from 'node:child_process';
import { globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { makeDataDir, startTestBadge } from '@badge/test-support/fixtures';
import { expect, onTestFinished, test } from 'vitest';
import { parse, parseAllDocuments } from 'yaml';

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
  expect(execFileSync('systemd-analyze', ['verify', ...paths], { encoding: 'utf8' })).toBe('');
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

test('the Kubernetes manifest has two Deployments, a Service and an Ingress', () => {
  const documents = parseAllDocuments(readFileSync(join(DEPLOY, 'kubernetes/badge.yaml'), 'utf8'));
  expect(documents.map((document) => document.get('kind'))).toEqual([
    'ConfigMap',
    'Deployment',
    'Deployment',
    'Service',
    'Ingress',
  ]);
});
