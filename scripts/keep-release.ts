/**
 * `npm run keep-release`: packs this release into test/upgrade/, for the tests of the next one. Done once for each
 * release, when it will not change again; `--replace` packs it again.
 */
import { existsSync, statSync } from 'node:fs'
import { relative } from 'node:path'
import { version } from '../src/core/version.ts'
import { keptFile, pack } from '../test/upgrade/releases.ts'

const file = keptFile(version)
const name = relative(process.cwd(), file)

if (existsSync(file) && !process.argv.includes('--replace')) {
  console.error(`${name} is there. If ${version} has not been released yet: npm run keep-release -- --replace`)
  process.exitCode = 1
} else {
  await pack(file)
  console.log(`${name}, ${Math.ceil(statSync(file).size / 1024)} kB. Commit it with the release.`)
}
