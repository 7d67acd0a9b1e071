/** The profile file: servers and their keys. Only its owner may read it. */
import {
  closeSync,
  fchmodSync,
  fstatSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  writeSync,
} from 'node:fs'
import { homedir } from 'node:os'
import { dirname, join } from 'node:path'
import { UsageError } from '../terminal/failure.ts'

/** `key_id`: the key is a personal one of rollbook login. */
export type Profile = { url: string; key: string; key_id?: string }
export type Profiles = { current?: string; profiles: Record<string, Profile> }

export function profileFile(env: NodeJS.ProcessEnv): string {
  return join(env.XDG_CONFIG_HOME || join(env.HOME || homedir(), '.config'), 'rollbook', 'profiles.json')
}

/** @throws UsageError if others can read the file: its keys are no longer secret. */
export function readProfiles(file: string): Profiles {
  let descriptor: number
  try {
    descriptor = openSync(file, 'r')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return { profiles: {} }
    throw error
  }
  try {
    // Check the open file, because another file could take its name meanwhile.
    const { mode } = fstatSync(descriptor)
    if (process.platform !== 'win32' && (mode & 0o077) !== 0) {
      throw new UsageError(
        `${file} can be read or written by others, and it contains keys. Run chmod 600 on it, and rotate the keys ` +
          'if others may have read them.',
      )
    }
    return parse(file, readFileSync(descriptor, 'utf8'))
  } finally {
    closeSync(descriptor)
  }
}

/** Writes the file atomically. Others can never read it. */
export function writeProfiles(file: string, profiles: Profiles): void {
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 })
  const draft = `${file}.${process.pid}.part`
  try {
    const descriptor = openSync(draft, 'wx', 0o600)
    try {
      fchmodSync(descriptor, 0o600)
      writeSync(descriptor, `${JSON.stringify(profiles, undefined, 2)}\n`)
      fsyncSync(descriptor)
    } finally {
      closeSync(descriptor)
    }
    renameSync(draft, file)
  } finally {
    rmSync(draft, { force: true })
  }
}

function parse(file: string, text: string): Profiles {
  let found: Partial<Profiles> | null
  try {
    found = JSON.parse(text) as typeof found
  } catch (cause) {
    throw new UsageError(`${file} is not valid JSON. Remove it and add the profiles again.`, { cause })
  }
  const profiles = found?.profiles
  if (typeof profiles !== 'object' || profiles === null || !Object.values(profiles).every(isProfile)) {
    throw new UsageError(`${file} does not contain profiles. Remove it and add the profiles again.`)
  }
  // Without a prototype: `constructor` is a name like any other.
  const known = Object.assign(Object.create(null) as Record<string, Profile>, profiles)
  return typeof found?.current === 'string' ? { current: found.current, profiles: known } : { profiles: known }
}

function isProfile(found: unknown): boolean {
  const { url, key } = (found ?? {}) as Partial<Profile>
  return typeof url === 'string' && typeof key === 'string'
}
