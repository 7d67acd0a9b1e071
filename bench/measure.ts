/** `npm run bench [-- part …]`: measures ours against bare and prints one table. See README.md. */
import { mkdirSync, writeFileSync } from 'node:fs'
import { availableParallelism, cpus, totalmem } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { findWrk } from './load.ts'
import type { Settings } from './parts/settings.ts'
import { parts, pieces } from './parts.ts'
import { hasPostgres } from './postgres.ts'
import { type Row, ratioOf, table, verdict } from './report.ts'

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    users: { type: 'string' },
    seconds: { type: 'string', default: '5' },
    rounds: { type: 'string', default: '5' },
    profile: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
})
const all = { ...parts, ...pieces }
const unknown = positionals.filter((name) => !Object.hasOwn(all, name))
if (values.help || unknown.length > 0) {
  if (unknown.length > 0) console.error(`There is no part ${unknown.join(', ')}.`)
  console.error('npm run bench -- [part …] [--users n] [--seconds n] [--rounds n] [--profile]')
  console.error('npm run bench -- guard [commit]')
  console.error('npm run bench -- growth')
  console.error('npm run bench -- peers')
  console.error(`Parts: ${Object.keys(parts).join(' ')}`)
  console.error(`Pieces of parts: ${Object.keys(pieces).join(' ')}`)
  process.exit(values.help ? 0 : 2)
}

const settings: Settings = {
  seconds: Number(values.seconds),
  rounds: Number(values.rounds),
  profile: values.profile,
  ...(values.users !== undefined && { users: Number(values.users) }),
}
const byDefault = Object.keys(parts).filter((name) => hasPostgres || !name.startsWith('postgres-'))
const chosen = (positionals.length > 0 ? positionals : byDefault) as (keyof typeof all)[]
const machine = {
  cpu: cpus()[0]?.model ?? '',
  cores: availableParallelism(),
  memoryGb: Math.round(totalmem() / 1e9),
  node: process.version,
}
await findWrk() // Fetched before the first part, or refused now.
console.log(`${machine.cpu}, ${machine.cores} cores, ${machine.memoryGb} GB, Node ${machine.node}`)
console.log(`${settings.rounds} rounds of ${settings.seconds} s; figures are medians\n`)

const rows: Row[] = []
for (const name of chosen) {
  console.error(`${name} …`)
  try {
    rows.push(...(await all[name](settings)))
  } catch (error) {
    // One part that cannot run is no reason to lose the others' figures.
    console.error(`${name} failed:`, error)
    process.exitCode = 1
  }
}
console.log(table(rows))

const results = join(import.meta.dirname, 'results')
mkdirSync(results, { recursive: true })
const at = new Date().toISOString()
const kept = rows.map((row) => ({ ...row, target: row.target?.text, ratio: ratioOf(row), verdict: verdict(row) }))
writeFileSync(
  join(results, `${at.replaceAll(':', '-')}.json`),
  JSON.stringify({ at, machine, settings, rows: kept }, null, 2),
)
