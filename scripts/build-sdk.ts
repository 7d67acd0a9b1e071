/**
 * Makes what the package @rollbook/sdk holds besides its sources: ES modules and CommonJS with declarations in
 * `src/sdk/dist/`, and the licence. Run when the package is packed, and with --remove afterwards, so that a checkout never
 * holds a stale build.
 */
import { execFile } from 'node:child_process'
import { cpSync, globSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { promisify } from 'node:util'

const run = promisify(execFile)
const root = join(import.meta.dirname, '..')
const sdk = join(root, 'src/sdk')
const dist = join(sdk, 'dist')
const licence = join(sdk, 'LICENSE')

remove()
if (!process.argv.includes('--remove')) {
  try {
    await compile('-p', 'tsconfig.sdk.json')
    await compileCommonJs()
    removeMapsOfTypes()
    cpSync(join(root, 'LICENSE'), licence)
  } catch (error) {
    remove()
    throw error
  }
}

function remove(): void {
  rmSync(dist, { recursive: true, force: true })
  rmSync(licence, { force: true })
}

/** Compiles a copy of the sources in place: the compiler takes the kind of module from the nearest package.json. */
async function compileCommonJs(): Promise<void> {
  const cjs = join(dist, 'cjs')
  const sources = globSync('{client,verify}/**/*.ts', { cwd: sdk }).filter((file) => !file.endsWith('.test.ts'))
  for (const file of sources) cpSync(join(sdk, file), join(cjs, file))
  writeFileSync(join(cjs, 'package.json'), '{ "type": "commonjs" }\n')
  const project = join(cjs, 'tsconfig.json')
  const compilerOptions = { rootDir: cjs, outDir: cjs, verbatimModuleSyntax: false }
  writeFileSync(
    project,
    JSON.stringify({
      extends: join(root, 'tsconfig.sdk.json'),
      compilerOptions,
      include: ['client', 'verify'],
    }),
  )
  await compile('-p', project)
  for (const file of sources) {
    rmSync(join(cjs, file))
    // The maps lead to the one copy of the sources that is in the package.
    const map = join(cjs, file.replace(/\.ts$/, '.d.ts.map'))
    const content = JSON.parse(readFileSync(map, 'utf8'))
    content.sources = [relative(dirname(map), join(sdk, file))]
    writeFileSync(map, JSON.stringify(content))
  }
  rmSync(project)
}

/** The declarations of the generated types are their sources: a map to them would be a tenth of the package. */
function removeMapsOfTypes(): void {
  for (const file of globSync('*/client/types.d.ts', { cwd: dist })) {
    const declarations = join(dist, file)
    writeFileSync(declarations, readFileSync(declarations, 'utf8').replace(/^\/\/# sourceMappingURL=.*\n?/m, ''))
    rmSync(`${declarations}.map`)
  }
}

async function compile(...args: string[]): Promise<void> {
  const compiler = join(root, 'node_modules/typescript/bin/tsc')
  await run(process.execPath, [compiler, ...args], { cwd: root }).catch((error) => {
    throw new Error(`The SDK does not compile:\n${error.stdout}`)
  })
}
