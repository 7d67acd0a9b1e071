/**
 * Checks package-lock.json and that of bench/peers: each package has a hash, so that `npm ci` never installs unverified
 * bytes, and none names the registry of the developer who last ran `npm install`. npm omits the hash, or a binary for
 * another platform, when its registry lacks the package; `npm ci` then fails elsewhere. CONTRIBUTING.md says why each
 * dependency is there.
 */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'

type Entry = {
  version?: string
  resolved?: string
  integrity?: string
  link?: boolean
  optionalDependencies?: Record<string, string>
}

const root = join(import.meta.dirname, '..')
let isFaulty = false
for (const file of ['package-lock.json', 'bench/peers/package-lock.json']) {
  const { packages } = JSON.parse(readFileSync(join(root, file), 'utf8')) as { packages: Record<string, Entry> }
  const entries = Object.entries(packages).filter(([path, { link }]) => path !== '' && !link)
  const faults = entries.flatMap(([path, { resolved, integrity, optionalDependencies = {} }]) => [
    ...Object.keys(optionalDependencies).flatMap((name) =>
      `node_modules/${name}` in packages || `${path}/node_modules/${name}` in packages ? [] : [`${path} lacks ${name}`],
    ),
    ...(/^sha512-[\w+/]{86}==$/.test(integrity ?? '') ? [] : [`${path} has no SHA-512 integrity`]),
    ...(resolved === undefined ? [] : [`${path} names where it was downloaded`]),
  ])
  for (const fault of faults) console.error(`${file}: ${fault}`)
  isFaulty ||= faults.length > 0 || entries.length === 0
}
const ours = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
const dependencies = Object.keys({ ...ours.dependencies, ...ours.devDependencies })
const [, section = ''] = /^## Dependencies$(.*?)^## /ms.exec(readFileSync(join(root, 'CONTRIBUTING.md'), 'utf8')) ?? []
const firstCells = [...section.matchAll(/^\|([^|]*)\|/gm)].map(([, cell]) => cell as string).join()
const explained = new Set([...firstCells.matchAll(/`([^`]+)`/g)].map(([, name]) => name as string))
const unexplained = [
  ...dependencies.filter((name) => !explained.has(name)).map((name) => `${name} has no reason`),
  ...[...explained].filter((name) => !dependencies.includes(name)).map((name) => `${name} is no dependency`),
]
for (const fault of unexplained) console.error(`CONTRIBUTING.md, Dependencies: ${fault}`)
if (unexplained.length > 0) process.exitCode = 1
if (isFaulty) {
  console.error('Choose a version that the registry has for every platform, and run npm install again.')
  process.exitCode = 1
}
