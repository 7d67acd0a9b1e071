/** `rollbook logout`: revokes the key of rollbook login, and removes its profile. */
import type { Command } from 'commander'
import { profileFile, readProfiles, writeProfiles } from '../server/profile-file.ts'
import { examples } from '../terminal/examples.ts'
import { exitCodes } from '../terminal/exit-codes.ts'
import { Failed, UsageError } from '../terminal/failure.ts'
import { interruptible } from '../terminal/interruption.ts'
import { tell } from '../terminal/output.ts'
import { visible } from '../terminal/visible-text.ts'
import { clientOf } from './login.ts'

type LogoutOptions = { profile?: string; dryRun?: true }

export function addLogout(program: Command): void {
  const logout = program
    .command('logout')
    .summary('revoke the key of rollbook login')
    .description(
      'Revokes the key that rollbook login stored, and removes its profile. If the server cannot be reached, nothing is changed, because the key would stay valid.',
    )
    .option('--profile <name>', 'the profile (default: the default profile)')
    .option('--dry-run', 'make all checks and show what would happen, but change nothing')
    .action(runLogout)
  examples(logout, [
    ['rollbook logout', 'sign out of the default profile'],
    ['rollbook logout --profile work', 'sign out of another one'],
  ])
}

async function runLogout({ profile: named, dryRun }: LogoutOptions): Promise<void> {
  const file = profileFile(process.env)
  const { current, profiles } = readProfiles(file)
  const name = named ?? process.env.ROLLBOOK_PROFILE ?? current
  const profile = name === undefined ? undefined : profiles[name]
  if (name === undefined) {
    const detail = 'No profile is the default. Name one with --profile; rollbook profile list shows all.'
    throw new Failed(detail, exitCodes.notFound)
  }
  if (profile === undefined) {
    throw new Failed('There is no such profile. rollbook profile list shows all.', exitCodes.notFound)
  }
  if (profile.key_id === undefined) {
    throw new UsageError(`The profile ${name} is not of rollbook login. Remove it with rollbook profile remove.`)
  }
  const client = await clientOf(profile.url, profile.key)
  await interruptible((signal) => client.tokens.revoke(profile.key, { signal, ...(dryRun && { dryRun }) })).catch(
    (error) => {
      // The key has ended already.
      if ((error as { status?: number }).status !== 401) throw error
    },
  )
  if (dryRun) return tell(visible(`Nothing was changed. The key of the profile ${name} can be revoked.`))
  const after = readProfiles(file)
  const { [name]: _, ...others } = after.profiles
  writeProfiles(file, {
    profiles: others,
    ...(after.current !== undefined && after.current !== name && { current: after.current }),
  })
  tell(visible(`Signed out of ${profile.url}. Revoked the key and removed the profile ${name}.`))
}
