/** Programs that tests need beside Node: the machine's own, else Debian's, which is installed. */
import { execFile } from 'node:child_process'
import { accessSync, constants } from 'node:fs'
import { delimiter, join } from 'node:path'
import { promisify } from 'node:util'

const run = promisify(execFile)

export type Program = {
  name: string
  /** Of Debian; by default the same. */
  package?: string
  /** The environment variable that may name another one. */
  variable: string
}

/**
 * The path of a program. Undefined (after saying why) when there is none and none can be installed; in CI that is an error.
 */
export async function findOrInstall({
  name,
  package: debianPackage = name,
  variable,
}: Program): Promise<string | undefined> {
  const found = process.env[variable] || findOnPath(name)
  if (found !== undefined) return found
  const reason = await install(debianPackage)
  const installed = findOnPath(name)
  if (installed !== undefined) return installed
  const message = `No ${name} for the tests (${reason ?? 'its package brought none'}): install it or name it in ${variable}.`
  if (process.env.CI) throw new Error(message)
  console.error(message)
  return undefined
}

function findOnPath(name: string): string | undefined {
  // Debian keeps servers where users do not look.
  const folders = [...(process.env.PATH ?? '').split(delimiter), '/usr/sbin', '/usr/local/sbin']
  return folders
    .filter((folder) => folder !== '')
    .map((folder) => join(folder, name))
    .find(isExecutable)
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK)
    return true
  } catch {
    return false
  }
}

/** Resolves to the reason when it cannot. */
async function install(name: string): Promise<string | undefined> {
  if (process.platform !== 'linux') return 'it is installed by itself on Debian and Ubuntu only'
  const prefix = process.getuid?.() === 0 ? [] : ['sudo', '-n']
  // The package starts a server of its own unless this file says no, which nobody asked for.
  const script = `
    set -e
    export DEBIAN_FRONTEND=noninteractive
    policy=/usr/sbin/policy-rc.d
    apt-get -qq update
    if [ ! -e "$policy" ]; then
      trap 'rm -f "$policy"' EXIT
      printf '#!/bin/sh\\nexit 101\\n' >"$policy"
      chmod +x "$policy"
    fi
    apt-get -qq -o DPkg::Lock::Timeout=300 install --yes --no-install-recommends ${name}`
  const [file = '', ...rest] = [...prefix, 'sh', '-c', script]
  console.error(`Installing ${name} for the tests (apt-get) …`)
  try {
    await run(file, rest, { timeout: 600_000, maxBuffer: 16 << 20 })
    return undefined
  } catch (error) {
    const { message, stderr } = error as Error & { stderr?: string }
    return (stderr || message).trim().split('\n').slice(0, 3).join(' ')
  }
}
