/**
 * Run after `npm install <package>`: npm leaves out an optional binary whose `engines` do not fit the Node that npm runs
 * on, which is the machine's, while our tools run on the pinned one. So the lockfile asks for no Node there.
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

type Entry = { engines?: Record<string, string>; optional?: boolean; os?: string[]; cpu?: string[] }

const file = join(import.meta.dirname, '..', 'package-lock.json')
const lock = JSON.parse(readFileSync(file, 'utf8')) as { packages: Record<string, Entry> }
for (const entry of Object.values(lock.packages)) {
  if (entry.optional && (entry.os || entry.cpu)) delete entry.engines
}
writeFileSync(file, `${JSON.stringify(lock, undefined, 2)}\n`)
