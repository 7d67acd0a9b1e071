/**
 * `npm run test:ha`: brings the lab of deploy/ha up, breaks the database under load in seven ways, and checks what
 * Rollbook promises. `npm run test:ha -- freeze` runs the ways named only; `--keep` leaves the lab as it is at the end.
 */
import { randomBytes } from 'node:crypto'
import { cpSync, existsSync, mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { Lab, type Machine, machines, type nodes, waitFor } from '../../deploy/ha/cluster.ts'
import { Api, Faults } from './api.ts'
import { createOneUsername, demoteEachOther, revokeAcross } from './races.ts'
import { leaderOf, type Scenario, scenarios } from './scenarios.ts'
import { Traffic } from './traffic.ts'

const longestRunMs = 6 * 60_000
const begun = performance.now()
const input = process.argv.slice(2)
const keepsRunning = input.includes('--keep')
const wanted = input.filter((argument) => argument !== '--keep')
const chosen = scenarios.filter(({ name }) => wanted.length === 0 || wanted.includes(name))
if (wanted.some((name) => !scenarios.some((scenario) => scenario.name === name))) {
  console.error(`There are these ways to break it: ${scenarios.map(({ name }) => name).join(', ')}`)
  process.exit(2)
}

const faults = new Faults()
const rows: string[][] = []
const races: string[] = []
const folder = join(tmpdir(), `rollbook-ha-${randomBytes(6).toString('hex')}`)
let lab: Lab | undefined
let traffic: Traffic | undefined
let failure: Error | undefined
const interrupted = new Promise<never>((_, reject) => {
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.once(signal, () => reject(new Error(`Ended by ${signal}.`)))
  }
  setTimeout(() => reject(new Error(`Not done after ${longestRunMs / 60_000} minutes.`)), longestRunMs).unref()
})

try {
  await Promise.race([run(), interrupted])
} catch (error) {
  failure = error as Error
}
await end()

async function run(): Promise<void> {
  lab = await Lab.create(folder, say)
  await lab.up(say)
  const apiOf = (node: (typeof nodes)[number]) =>
    new Api({ node, url: (lab as Lab).urlOf(node), key: (lab as Lab).adminKey, faults })
  const apis = [apiOf('a'), apiOf('b')] as const
  say('Ready: node a reaches PostgreSQL through HAProxy, node b finds the primary by itself.')

  await race('64 creates of one username', () => createOneUsername(apis, faults, 10))
  await race('two administrators against each other', () => demoteEachOther(apis, faults, 18))
  for (const cut of ['never', 'once', 'always'] as const) {
    const what = { never: 'listening', once: 'listener cut once', always: 'listener cut again and again' }[cut]
    const superuserUrl = lab.superuserUrl()
    await race(`keys revoked on the other node, ${what}`, () =>
      revokeAcross(apis, faults, { rounds: 6, cut, superuserUrl }),
    )
  }

  // The third door is the one that clients of a product would use: HAProxy in front of both nodes.
  const balanced = new Api({ node: 'lb', url: lab.url, key: lab.adminKey, faults })
  traffic = new Traffic([...apis, balanced], faults)
  for (const scenario of chosen) await strike(lab, traffic, scenario)
}

async function race(name: string, work: () => Promise<unknown>): Promise<void> {
  const before = faults.count
  const longestMs = await work()
  const held = faults.count === before
  const detail = typeof longestMs === 'number' ? ` (accepted for ${Math.round(longestMs)} ms at most)` : ''
  races.push(`${held ? 'held  ' : 'BROKEN'}  ${name}${detail}`)
  say(`${name}: ${held ? 'held' : 'BROKEN'}${detail}`)
}

async function strike(lab: Lab, traffic: Traffic, scenario: Scenario): Promise<void> {
  const before = faults.count
  const leader = await leaderOf(lab)
  await traffic.start()
  await sleep(3000)
  if (traffic.counts.acknowledged < 100) throw new Error('There is hardly any traffic to break.')
  const victim = scenario.victim === undefined ? leader : await scenario.victim(lab)
  say(`${scenario.title}: ${victim}`)
  const refusedBefore = traffic.apis.map(refusalsOf)
  traffic.watchGaps()
  const struck = performance.now()
  const progress = setInterval(() => showProgress(traffic), 5000)
  try {
    await scenario.inject(lab, victim)
    if (scenario.movesLead) await waitFor('another machine to lead', 40, () => anotherLeads(lab, leader))
    const led = performance.now()
    say(`${scenario.movesLead ? await lab.leader() : leader} leads (${seconds(led - struck)} s)`)
    await waitFor('writes through both nodes', 40, async () =>
      traffic.apis.every(({ node }) => traffic.lastAcknowledged(node) > led),
    )
    // The worst moment for it to return: there is a new primary, under load.
    await sleep(1000)
    await scenario.mend(lab, victim)
    await waitFor('three PostgreSQL that follow one primary', 90, () => lab.isWhole())
    await waitFor('both nodes to be ready', 30, () => lab.areNodesReady())
    const whole = performance.now()
    await sleep(2000)
    const gaps = traffic.gaps()
    await traffic.pause()
    await traffic.verify()
    await compareMachines(lab)
    const held = faults.count === before
    const refused = traffic.apis.map((api, i) => refusalsOf(api) - (refusedBefore[i] ?? 0))
    rows.push([
      scenario.name,
      held ? 'held' : 'BROKEN',
      scenario.movesLead ? seconds(led - struck) : '-',
      ...traffic.apis.map(({ node }) => (gaps[node] ?? 0).toFixed(1)),
      ...refused.map(String),
      seconds(whole - struck),
    ])
    say(`all promises ${held ? 'held' : 'BROKEN'}; whole again after ${seconds(whole - struck)} s`)
  } finally {
    clearInterval(progress)
  }
}

async function anotherLeads(lab: Lab, former: Machine): Promise<boolean> {
  const leader = await lab.leader()
  return leader !== undefined && leader !== former
}

/** The standbys, and a former primary that was wound back, hold the same rows as the primary. */
async function compareMachines(lab: Lab): Promise<void> {
  let digests: string[] = []
  const agree = async () => {
    digests = await Promise.all(machines.map((machine) => digestOf(lab, machine)))
    return new Set(digests).size === 1
  }
  await waitFor('three PostgreSQL with the same rows', 20, agree).catch(() => {
    faults.add('All three PostgreSQL hold the same', machines.map((name, i) => `${name} ${digests[i]}`).join(', '))
  })
}

async function digestOf(lab: Lab, machine: Machine): Promise<string> {
  const client = new pg.Client({ connectionString: lab.superuserUrl(machine), query_timeout: 5000 })
  client.on('error', () => {})
  try {
    await client.connect()
    const { rows } = await client.query(`
      SELECT count(*) || ' users ' || md5(string_agg(md5(users::text), '' ORDER BY user_id)) AS digest
      FROM rollbook.users`)
    return rows[0].digest
  } catch (error) {
    return `${machine}: ${(error as Error).message}`
  } finally {
    await client.end()
  }
}

function refusalsOf(api: Api): number {
  return [...api.refusals.values()].reduce((sum, count) => sum + count, 0)
}

function showProgress(traffic: Traffic): void {
  const { acknowledged, repeated } = traffic.counts
  const refused = traffic.apis.map((api) => `${api.node} ${refusalsOf(api)}`).join(', ')
  say(
    `  ${acknowledged} writes acknowledged, ${traffic.users} users, refused for now: ${refused}; sent again: ${repeated}`,
  )
}

function say(line: string): void {
  console.log(`${seconds(performance.now() - begun).padStart(6)}  ${line}`)
}

function seconds(ms: number): string {
  return (ms / 1000).toFixed(1)
}

function summarize(): void {
  const heads = ['', 'promises', 'new leader', 'no writes a', 'b', 'lb', '503 from a', 'b', 'lb', 'whole again']
  const table = [heads, ...rows]
  const widths = heads.map((_, column) => Math.max(...table.map((row) => (row[column] ?? '').length)))
  console.log('\nAt the same moment on two nodes:')
  for (const line of races) console.log(`  ${line}`)
  console.log('\nUnder load (times in seconds from the blow; no writes: the longest time without an acknowledged one):')
  for (const row of table) {
    const cells = row.map((cell, i) => (i < 2 ? cell.padEnd(widths[i] ?? 0) : cell.padStart(widths[i] ?? 0)))
    console.log(`  ${cells.join('  ')}`)
  }
}

function describe({ counts, apis }: Traffic): string {
  const refusals = new Map<string, number>()
  for (const api of apis) {
    for (const [code, count] of api.refusals) refusals.set(code, (refusals.get(code) ?? 0) + count)
  }
  const slowest = Math.max(...apis.map(({ slowestMs }) => slowestMs))
  return `
Writes acknowledged  ${counts.acknowledged} (${counts.created} users created, ${counts.updated} changed, ${counts.deleted} deleted)
Reads                ${counts.read} of one user, ${counts.listed} of the whole list; ${counts.cut} lists broke off or were refused
Keys revoked         ${counts.revoked}
Sent again           ${counts.repeated} requests, after 503: ${[...refusals].map(([code, count]) => `${count} ${code}`).join(', ')}
Slowest answer       ${seconds(slowest)} s`
}

async function end(): Promise<void> {
  summarize()
  if (traffic !== undefined) console.log(describe(traffic))
  if (faults.count > 0) console.log(`\nBroken:\n  ${faults.lines().join('\n  ')}`)
  if (failure !== undefined) console.log(`\nStopped: ${failure.stack}`)
  const ok = faults.count === 0 && failure === undefined
  if (keepsRunning && lab !== undefined) {
    console.log(`\nThe lab is left as it is: ROLLBOOK_LAB=${folder} node deploy/ha/lab.ts status`)
  } else {
    if (!ok && existsSync(join(folder, 'log'))) {
      const logs = mkdtempSync(join(tmpdir(), 'rollbook-ha-logs-'))
      cpSync(join(folder, 'log'), logs, { recursive: true })
      console.log(`\nThe logs are in ${logs}`)
    }
    await lab?.down()
  }
  console.log(`\n${ok ? 'All promises held' : 'NOT all promises held'}, ${seconds(performance.now() - begun)} s`)
  process.exit(ok ? 0 : 1)
}
