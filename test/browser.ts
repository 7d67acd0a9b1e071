import { execFile } from 'node:child_process'
import { accessSync, constants } from 'node:fs'
import { delimiter, join } from 'node:path'
import { promisify } from 'node:util'
import { type Browser, chromium } from 'playwright-core'

const run = promisify(execFile)
/** Chromium without windows: a fresh profile costs a seventh of the processor time. */
const shell = 'chromium-headless-shell'
const names = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable']

/**
 * A Chromium for the tests: the one of `CHROMIUM_PATH`, else the machine's own, else Debian's shell, which is installed
 * first; in CI also where there is another Chromium. Undefined (after saying why) when there is none and none can be
 * installed; in CI that is an error.
 */
export async function launchBrowser(more: readonly string[] = []): Promise<Browser | undefined> {
  const executablePath = await findOrInstallChromium()
  if (executablePath === undefined) return undefined
  const args = ['--disable-quic', '--disable-background-networking', '--disable-component-update', '--disable-sync']
  args.push('--no-first-run', ...more)
  // Chromium's sandbox refuses to run as root, which is what containers and CI runners often are.
  if (process.getuid?.() === 0) args.push('--no-sandbox')
  return chromium.launch({ executablePath, args })
}

/** Call it once before test files run side by side, so that they do not all install at the same time. */
export async function findOrInstallChromium(): Promise<string | undefined> {
  const found = process.env.CHROMIUM_PATH || findOnPath([shell]) || (process.env.CI ? undefined : findOnPath(names))
  if (found !== undefined) return found
  const reason = await installChromium()
  const installed = findOnPath([shell, ...names])
  if (installed !== undefined) return installed
  const message = `No Chromium for the browser tests (${reason ?? 'its package brought none'}): install one or name it in CHROMIUM_PATH.`
  if (process.env.CI) throw new Error(message)
  console.error(message)
  return undefined
}

function findOnPath(names: readonly string[]): string | undefined {
  const folders = (process.env.PATH ?? '').split(delimiter).filter((folder) => folder !== '')
  return names.flatMap((name) => folders.map((folder) => join(folder, name))).find(isExecutable)
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK)
    return true
  } catch {
    return false
  }
}

/** Installs Debian's package. Resolves to the reason when it cannot. */
async function installChromium(): Promise<string | undefined> {
  if (process.platform !== 'linux') return 'it is installed by itself on Debian and Ubuntu only'
  const prefix = process.getuid?.() === 0 ? [] : ['sudo', '-n']
  const aptGet = async (...args: string[]) => {
    const [file = '', ...rest] = [...prefix, 'env', 'DEBIAN_FRONTEND=noninteractive', 'apt-get', '-qq', ...args]
    await run(file, rest, { timeout: 600_000, maxBuffer: 16 << 20 })
  }
  console.error(`Installing ${shell} for the browser tests (apt-get) …`)
  try {
    await aptGet('update')
    const install = ['-o', 'DPkg::Lock::Timeout=300', 'install', '--yes', '--no-install-recommends']
    // Not every release of Debian and its relatives has the shell.
    await aptGet(...install, shell).catch(() => aptGet(...install, 'chromium'))
    return undefined
  } catch (error) {
    return (error as Error).message.trim().split('\n').slice(0, 3).join(' ')
  }
}
