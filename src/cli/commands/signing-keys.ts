/** `rollbook signing-keys`: the keys that sign access tokens, through the API. */
import type { Command } from 'commander'
import { addRemoteOptions, type RemoteOptions, withServer } from '../server/connect.ts'
import { examples } from '../terminal/examples.ts'
import { addOutputOptions, type OutputOptions, printOne, printRows, tell } from '../terminal/output.ts'
import { addWriteOptions, confirm, type WriteOptions } from '../terminal/write-options.ts'

const members = ['kid', 'state', 'created_at', 'signs_from', 'expires_at', 'public_key']

type ReadOptions = OutputOptions & RemoteOptions
type RotateOptions = ReadOptions & WriteOptions & { revokePrevious?: true }

export function addSigningKeys(program: Command): void {
  const signingKeys = program
    .command('signing-keys')
    .summary('replace the key that signs access tokens')
    .description('The keys that sign access tokens, through the API. They are replaced by themselves as well.')
  examples(signingKeys, [
    ['rollbook signing-keys list', 'which sign, and until when'],
    ['rollbook signing-keys rotate', 'before the time'],
  ])
  const list = signingKeys
    .command('list')
    .summary('list the keys that sign, or have signed')
    .description('Lists the keys that sign, will sign, or have signed what is still valid.')
    .action((options: ReadOptions) =>
      withServer(options, async (client, signal) => printRows(await client.signingKeys.list({ signal }), options)),
    )
  examples(list, [
    ['rollbook signing-keys list', 'all of them'],
    ['rollbook signing-keys list --json', 'with the public keys'],
  ])
  addOutputOptions(list, { all: members, shown: ['kid', 'state', 'created_at', 'signs_from', 'expires_at'] })
  addRemoteOptions(list)
  const rotate = signingKeys
    .command('rotate')
    .summary('sign with another key')
    .description(
      'Makes another key, which signs as soon as everybody who verifies can have heard of it. With --revoke-previous at once, and what the others have signed is refused: asks before that, unless --yes is given.',
    )
    .option('--revoke-previous', 'in an emergency: somebody else may have a private key')
    .action(runRotate)
  examples(rotate, [
    ['rollbook signing-keys rotate', 'nobody notices'],
    ['rollbook signing-keys rotate --revoke-previous', 'all access tokens are refused from now on'],
  ])
  addWriteOptions(rotate)
  addOutputOptions(rotate, members)
  addRemoteOptions(rotate)
}

async function runRotate(options: RotateOptions): Promise<void> {
  const { revokePrevious: revoke_previous = false, dryRun = false } = options
  await withServer(options, async (client, signal) => {
    if (revoke_previous) await confirm('Refuse every access token that was issued so far?', options)
    const made = await client.signingKeys.rotate({ revoke_previous }, { signal, dryRun })
    await printOne(made, options)
    tell(dryRun ? 'Nothing was changed: it would be as shown.' : `It signs from ${made.signs_from} on.`)
  })
}
