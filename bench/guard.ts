/**
 * `npm run bench -- guard [commit]`: fails when the working tree is slower than the commit. See README.md.
 * Both run at the same time, but only the one that is being measured gets the processor.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { type Checkout, commitBefore, git, users, withCheckout } from './guard/checkout.ts'
import { batches, changeOf, judge, type Pair, type Sample, type Verdict } from './guard/decision.ts'
import { type GuardedRow, guardedRows } from './guard/rows.ts'
import { cpuSeconds } from './processes.ts'
import { median, plainTable } from './report.ts'
import { type Server, type Setup, withServer } from './servers.ts'

const pairsPerBatch = 3
const settleMs = 5000
const rows = guardedRows()
const names = Object.keys(rows)

const { values, positionals } = parseArgs({
  args: process.argv.slice(3),
  allowPositionals: true,
  options: { row: { type: 'string', multiple: true, default: names }, help: { type: 'boolean', default: false } },
})
if (values.help || positionals.length > 1 || values.row.some((name) => !names.includes(name))) {
  console.error('npm run bench -- guard [commit] [--row name …]')
  console.error(`Rows: ${names.join(' ')}`)
  process.exit(values.help ? 0 : 2)
}

type Found = { name: string; row: GuardedRow; bare: number; pairs: Pair[]; verdict: Verdict }

const began = performance.now()
const commit = await git('rev-parse', `${positionals[0] ?? (await commitBefore())}^{commit}`)
const title = await git('log', '-1', '--format=%h %s', commit)
console.log(`Compares the working tree with ${title}`)

const found = await withCheckout(commit, async (other) => {
  const all: Found[] = []
  for (const name of new Set(values.row)) all.push(await measureRow(name, rows[name] as GuardedRow, other))
  return all
})
console.log(`\n${show(found)}\n`)
const failed = found.filter(({ verdict }) => verdict === 'FAILED')
const seconds = Math.round((performance.now() - began) / 1000)
if (failed.length === 0) console.log(`No row is more than 10 % slower than with ${commit.slice(0, 7)} (${seconds} s).`)
else {
  const list = failed.map(({ name, pairs }) => `${name} (${percent(changeOf(pairs))})`).join(', ')
  console.error(`Slower than with ${commit.slice(0, 7)}: ${list}. To find out why: npm run bench -- <row> --profile`)
  process.exitCode = 1
}

async function measureRow(name: string, row: GuardedRow, other: Checkout): Promise<Found> {
  const measured: Pair[][] = []
  const bare: number[] = []
  let verdict: Verdict
  do {
    const more = measured.length >= batches.first ? ', again because it looks slower' : ''
    console.error(`${name}, batch ${measured.length + 1}${more} …`)
    // Fresh processes each time: the same code is now and then compiled to something slower.
    const batch = await withAll(row, other, (servers) => measureBatch(row, servers, measured.length))
    measured.push(batch.pairs)
    bare.push(...batch.bare)
    verdict = judge(measured)
    const all = measured.flat()
    const [rate, cpu] = [percent(changeOf(all)), percent(changeOf(all, 'cpuMicroseconds'))]
    console.error(`${name}: ${rate}, processor time ${cpu}, after ${measured.length} batches`)
  } while (verdict === 'measure again')
  return { name, row, bare: median(bare), pairs: measured.flat(), verdict }
}

type Servers = { bare: Server | undefined; before: Server; after: Server }

function withAll<T>(row: GuardedRow, other: Checkout, work: (servers: Servers) => Promise<T>): Promise<T> {
  const setup: Setup = { users, writes: true, ...(row.settings && { settings: row.settings }) }
  const both = (bare: Server | undefined) =>
    withServer('ours', { ...setup, other }, (before) =>
      withServer('ours', setup, (after) => work({ bare, before, after })),
    )
  return typeof row.bare === 'function' ? both(undefined) : withServer('bare', { ...setup, ...row.bare }, both)
}

async function measureBatch(row: GuardedRow, servers: Servers, batch: number) {
  const all = Object.values(servers).filter((server) => server !== undefined)
  const pairs: Pair[] = []
  const bare: number[] = []
  // A stopped process does no work in the background while another is measured, and makes up for it in its own time.
  const alone = async <T>(server: Server, work: () => Promise<T>): Promise<T> => {
    process.kill(server.pid, 'SIGCONT')
    try {
      return await work()
    } finally {
      process.kill(server.pid, 'SIGSTOP')
    }
  }
  const measure = (server: Server, series: string) =>
    alone(server, async (): Promise<Sample> => {
      const cpu = cpuSeconds(server.pid)
      const { requests, perSecond } = await row.measure(server, series)
      return { perSecond, cpuMicroseconds: ((cpuSeconds(server.pid) - cpu) * 1e6) / requests }
    })
  const measureBare = async (series: string) => {
    if (typeof row.bare === 'function') return row.bare()
    return (await measure(servers.bare as Server, series)).perSecond
  }
  try {
    // A server that is stopped while its start has not ended runs the rest in its measured time; the last one lost up to 15 %.
    await sleep(settleMs)
    for (const server of all) process.kill(server.pid, 'SIGSTOP')
    for (const server of all) {
      await alone(server, async () => {
        if (server !== servers.bare) await row.prepare?.(server)
        await row.measure(server, `warm${batch}`)
      })
    }
    bare.push(await measureBare(`bare${batch}`))
    for (let round = 0; round < pairsPerBatch; round++) {
      const series = `round${batch}x${round}`
      // The order alternates, so that load which grows or shrinks favours neither.
      const turns = (batch + round) % 2 === 0 ? (['before', 'after'] as const) : (['after', 'before'] as const)
      const pair = {} as Pair
      for (const which of turns) pair[which] = await measure(servers[which], series)
      pairs.push(pair)
    }
    return { pairs, bare }
  } finally {
    for (const server of all) process.kill(server.pid, 'SIGCONT')
  }
}

function show(all: readonly Found[]): string {
  const head = [
    'row',
    'work',
    'bare',
    'before',
    'now',
    'ratio before',
    'ratio now',
    'change',
    'processor time',
    'pairs',
  ]
  const lines = all.map(({ name, row, bare, pairs, verdict }) => {
    const [before, after] = (['before', 'after'] as const).map((which) =>
      median(pairs.map((pair) => pair[which].perSecond)),
    ) as [number, number]
    const rates = [bare, before, after].map((rate) => `${Math.round(rate).toLocaleString('en')} /s`)
    const ratios = [before / bare, after / bare].map((ratio) => ratio.toFixed(2))
    const changes = [percent(changeOf(pairs)), percent(changeOf(pairs, 'cpuMicroseconds'))]
    return [name, row.work, ...rates, ...ratios, ...changes, String(pairs.length), verdict]
  })
  return plainTable([[...head, 'verdict'], ...lines])
}

function percent(ratio: number): string {
  const change = (ratio - 1) * 100
  return `${change < 0 ? '−' : '+'}${Math.abs(change).toFixed(1)} %`
}
