/**
 * Makes what the package holds beside the sources: the server in `built/`, the console, `/client` and `/verify` in `dist/` (Node strips
 * no types below node_modules), the list of what is in it, and the pinned tree. Run when the package is packed, and with
 * --remove afterwards, so that a checkout never holds a build that has gone stale; who reads `built/` looks at its age.
 */
import { execFile } from 'node:child_process'
import { cpSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { billOfMaterials, licenceTexts } from './components.ts'

const run = promisify(execFile)
const root = join(import.meta.dirname, '..')
const dist = join(root, 'dist')
// What was tested, for `npm ci` in the unpacked package: npm packs no file that is called package-lock.json.
const shrinkwrap = join(root, 'npm-shrinkwrap.json')

remove()
if (!process.argv.includes('--remove')) {
  try {
    await build()
  } catch (error) {
    remove()
    throw error
  }
}

function remove(): void {
  rmSync(dist, { recursive: true, force: true })
  rmSync(shrinkwrap, { force: true })
}

async function build(): Promise<void> {
  await run(process.execPath, [join(root, 'scripts/build-server.ts')])
  await run(process.execPath, [join(root, 'scripts/build-console.ts'), '--if-stale'])
  await compile('tsconfig.build.json')
  writeFileSync(join(dist, 'sbom.cdx.json'), await billOfMaterials(root))
  writeFileSync(join(dist, 'third-party-licenses.txt'), licenceTexts(root))
  cpSync(join(root, 'package-lock.json'), shrinkwrap)
}

async function compile(project: string): Promise<void> {
  const compiler = join(root, 'node_modules/typescript/bin/tsc')
  await run(process.execPath, [compiler, '-p', project], { cwd: root }).catch((error) => {
    throw new Error(`${project} does not compile:\n${error.stdout}`)
  })
}
