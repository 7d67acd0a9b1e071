/**
 * `npm run bench -- growth [users] [records] [sessions]`: what requests cost as the store grows. Keeps the points in
 * growth/points.json, where a later run replaces those of the same size, and draws growth.svg. See README.md.
 */
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { drawing } from './growth/draw.ts'
import { growthOfRecords, growthOfSessions, growthOfUsers, type Point } from './growth/measure.ts'

const { values, positionals } = parseArgs({
  args: process.argv.slice(3),
  allowPositionals: true,
  options: {
    rounds: { type: 'string', default: '3' },
    'five-million': { type: 'boolean', default: false },
    'ten-million-records': { type: 'boolean', default: false },
    draw: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
})
const rounds = Number(values.rounds)
const measures: Record<string, () => Promise<Point[]>> = {
  users: () => growthOfUsers([10_000, 100_000, 1_000_000, ...(values['five-million'] ? [5_000_000] : [])], rounds),
  records: () =>
    growthOfRecords([10_000, 100_000, 1_000_000, ...(values['ten-million-records'] ? [10_000_000] : [])], rounds),
  sessions: () => growthOfSessions([10, 100, 1000], rounds),
}
const unknown = positionals.filter((name) => !Object.hasOwn(measures, name))
if (values.help || unknown.length > 0) {
  console.error('npm run bench -- growth [users] [records] [sessions] [--rounds n] [--draw]')
  console.error('  --five-million         also 5,000,000 users: 12 GB of disk, ten minutes more')
  console.error('  --ten-million-records  also 10,000,000 audit records: 12 GB of disk, five minutes more')
  console.error('  --draw                 only draw the picture again')
  process.exit(values.help ? 0 : 2)
}

const kept = join(import.meta.dirname, 'growth/points.json')
const read = () => (existsSync(kept) ? (JSON.parse(readFileSync(kept, 'utf8')) as Point[]) : [])
let points = read()
const chosen = positionals.length > 0 ? positionals : Object.keys(measures)
for (const name of values.draw ? [] : chosen) {
  console.error(`${name} …`)
  const measured = (await measures[name]?.()) ?? []
  const isMeasured = (point: Point) => measured.some(({ axis, count }) => axis === point.axis && count === point.count)
  points = [...read().filter((point) => !isMeasured(point)), ...measured]
  points.sort((a, b) => b.axis.localeCompare(a.axis) || a.count - b.count)
  writeFileSync(kept, `${JSON.stringify(points, null, 2)}\n`)
}
for (const { axis, count, at, values: figures } of points) {
  console.log(`\n${count.toLocaleString('en')} ${axis}, ${at}`)
  for (const [line, value] of Object.entries(figures)) {
    console.log(`  ${line.padEnd(44)} ${value.toLocaleString('en')}`)
  }
}
writeFileSync(join(import.meta.dirname, 'growth.svg'), drawing(points))
