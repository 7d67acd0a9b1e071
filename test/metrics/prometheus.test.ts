// It belongs to test:rest: promtool is a large download.
import assert from 'node:assert/strict'
import { copyFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { before, describe, it, type TestContext } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { alertTexts } from '../../src/http/docs/alert-texts.ts'
import { createUser, type Engine, engines, start } from '../harness.ts'
import { createPerson, openBrowser, signIn } from '../people.ts'
import { look, type Scrape } from '../scrape.ts'
import { findPromtool, promtool } from './promtool.ts'

const root = join(import.meta.dirname, '../..')
const read = (path: string) => readFileSync(join(root, path), 'utf8')
const program = await findPromtool()
const skip = program === undefined && 'there is no promtool'

/** Scrapes of services that have done a little of everything. */
const scrapes: Scrape[] = []

before(async (t) => {
  for (const engine of engines) scrapes.push(await scrapeBusy(t as TestContext, engine))
})

async function scrapeBusy(t: TestContext, engine: Engine): Promise<Scrape> {
  const app = await start(t, engine)
  const inAYear = new Date(Date.now() + 365 * 24 * 3600 * 1000).toISOString()
  await app.call('POST', '/keys', { body: { name: 'ci', permissions: [], expires_at: inAYear } })
  await createUser(app)
  const { username } = await createPerson(app)
  await openBrowser(app, username)
  await signIn(app, username, 'not the password')
  await app.call('GET', '/nothing')
  await look(app)
  // What is measured from the first scrape on has something to tell at the second.
  await sleep(100)
  return look(app)
}

const known = () => new Set(scrapes.flatMap(({ families }) => [...families.keys()]))

/** The labels of a metric's samples, and the ones that Prometheus adds. */
function labelsOf(name: string): Set<string> {
  const samples = scrapes.flatMap((one) => one.samples).filter((one) => one.name === name)
  return new Set(['job', 'instance', ...samples.flatMap(({ labels }) => Object.keys(labels))])
}

const metric = /\b(?:rollbook|process|nodejs)_[a-z_]+\b/g

function family(name: string): string {
  const base = name.replace(/_(bucket|sum|count)$/, '')
  return known().has(base) ? base : name
}

function assertKnown(expression: string): void {
  for (const name of expression.match(metric) ?? []) assert.ok(known().has(family(name)), `${name} in ${expression}`)
  for (const [, name = '', matchers = ''] of expression.matchAll(/\b([a-z_]+)\{([^}]*)\}/g)) {
    // Prometheus' own, and the blackbox exporter's.
    if (name === 'up' || name.startsWith('probe_')) continue
    for (const [, label = ''] of matchers.matchAll(/(\w+)\s*(?:=~|!~|!=|=)/g)) {
      assert.ok(labelsOf(name).has(label), `${name} has no label ${label}: ${expression}`)
    }
  }
}

type Panel = { title: string; targets?: { expr: string }[]; gridPos: { x: number; y: number; w: number; h: number } }
type Dashboard = { panels: Panel[]; templating: { list: { name: string; definition?: string }[] } }

describe('the files for Prometheus and Grafana', () => {
  it('are accepted by promtool', { skip }, async () => {
    for (const { text } of scrapes) {
      assert.deepEqual(await promtool(String(program), ['check', 'metrics'], { input: text }), { code: 0, said: '' })
    }
  })

  it('has alerts that fire when they should, and not before', { skip }, async (t) => {
    const folder = mkdtempSync(join(tmpdir(), 'rollbook-alerts-'))
    t.after(() => rmSync(folder, { recursive: true }))
    copyFileSync(join(root, 'deploy/prometheus/alerts.yml'), join(folder, 'alerts.yml'))
    copyFileSync(join(root, 'deploy/prometheus/prometheus.yml'), join(folder, 'prometheus.yml'))
    copyFileSync(join(import.meta.dirname, 'alerts.test.yml'), join(folder, 'alerts.test.yml'))
    writeFileSync(join(folder, 'rollbook-metrics-key'), 'a key\n')
    for (const args of [
      ['check', 'config', 'prometheus.yml'],
      ['test', 'rules', 'alerts.test.yml'],
    ]) {
      const { code, said } = await promtool(String(program), args, { cwd: folder })
      assert.equal(code, 0, said)
    }
  })

  it('have a test that triggers each alert, and a runbook that explains it', () => {
    const alerts = [...read('deploy/prometheus/alerts.yml').matchAll(/- alert: (\w+)/g)].map(
      ([, name]) => name as string,
    )
    assert.ok(alerts.length > 10)
    const tests = read('test/metrics/alerts.test.yml').split(/- alertname: /)
    for (const alert of alerts) {
      assert.ok(
        tests.some((one) => one.startsWith(`${alert}\n`) && one.includes('exp_labels')),
        `${alert} fires in no test`,
      )
    }
    const expected = [
      ...read('deploy/prometheus/alerts.yml').matchAll(/- alert: (\w+)[\s\S]*?severity: (\w+)[\s\S]*?#(\w+)$/gm),
    ]
    assert.deepEqual(
      expected.map(([, alert, severity, anchor]) => [alert, severity, anchor]).sort(),
      Object.entries(alertTexts)
        .map(([alert, { severity }]) => [alert, severity, alert])
        .sort(),
    )
  })

  it('use in alerts only metrics and labels of a real scrape', () => {
    const expressions = read('deploy/prometheus/alerts.yml')
      .split(/- alert: /)
      .slice(1)
    for (const expression of expressions)
      assertKnown((expression.split(/\n\s+(?:for|labels):/)[0] as string).replaceAll(/^\s*#.*$/gm, ''))
  })

  it('use on the dashboard only metrics and labels of a real scrape', () => {
    const { panels, templating } = JSON.parse(read('deploy/grafana/rollbook.json')) as Dashboard
    const queries = panels.flatMap(({ targets = [] }) => targets.map(({ expr }) => expr))
    assert.ok(queries.length > 30)
    for (const query of queries) assertKnown(query)
    for (const { definition = '' } of templating.list) assertKnown(definition)
  })

  it('has a dashboard that promtool can read every query of', { skip }, async (t) => {
    const { panels } = JSON.parse(read('deploy/grafana/rollbook.json')) as Dashboard
    const rules = panels
      .flatMap(({ targets = [] }) => targets)
      .map(({ expr }, i) => {
        const plain = expr.replaceAll('$__rate_interval', '1m').replaceAll(/\$\w+/g, 'x')
        return `      - record: panel:${i}\n        expr: ${JSON.stringify(plain)}`
      })
    const folder = mkdtempSync(join(tmpdir(), 'rollbook-dashboard-'))
    t.after(() => rmSync(folder, { recursive: true }))
    writeFileSync(join(folder, 'queries.yml'), `groups:\n  - name: dashboard\n    rules:\n${rules.join('\n')}\n`)
    const { code, said } = await promtool(String(program), ['check', 'rules', 'queries.yml'], { cwd: folder })
    assert.equal(code, 0, said)
  })

  it('show every one of our own metrics on the dashboard', () => {
    const text = read('deploy/grafana/rollbook.json')
    const families = new Set((text.match(metric) ?? []).map(family))
    assert.deepEqual(
      [...known()].filter((name) => name.startsWith('rollbook_') && !families.has(name)),
      [],
    )
  })

  it('are explained in docs/metrics-reference.md: each of our own metrics by its name, and no other', () => {
    const explained = [...read('docs/metrics-reference.md').matchAll(/^\| `(rollbook_[a-z_]+)`/gm)].map(
      ([, name]) => name,
    )
    assert.deepEqual(explained.toSorted(), [...known()].filter((name) => name.startsWith('rollbook_')).toSorted())
  })
})
