/** `rollbook signing-keys`: lists and rotates the keys that sign access tokens. */
import type { Command } from 'commander'
import { signingKeySchema } from '../../access/credentials/tokens/schema.ts'
import { addRemoteOptions, type RemoteOptions, withServer } from '../server/connect.ts'
import { examples } from '../terminal/examples.ts'
import { addOutputOptions, type OutputOptions, printOne, printRows, tell } from '../terminal/output.ts'
import { addWriteOptions, confirm, type WriteOptions } from '../terminal/write-options.ts'

const members = signingKeySchema.required

type ReadOptions = OutputOptions & RemoteOptions
type RotateOptions = ReadOptions & WriteOptions & { revokePrevious?: true }

export function addSigningKeys(program: Command): void {
  const signingKeys = program
    .command('signing-keys')
    .summary('rotate the keys that sign access tokens')
    .description('Lists and rotates the keys that sign access tokens. The server also rotates them on its own.')
  examples(signingKeys, [
    ['rollbook signing-keys list', 'show the keys and until when they sign'],
    ['rollbook signing-keys rotate', 'rotate early'],
  ])
  const list = signingKeys
    .command('list')
    .summary('list current, next and retired keys')
    .description('Lists the key that signs, the next one, and retired keys whose tokens are still valid.')
    .action((options: ReadOptions) =>
      withServer(options, async (client, signal) =>
        printRows(await client.signingKeys.list({ signal }), options, 'keys'),
      ),
    )
  examples(list, [
    ['rollbook signing-keys list', 'show all keys'],
    ['rollbook signing-keys list --json', 'include the public keys'],
  ])
  addOutputOptions(list, { all: members, shown: ['kid', 'state', 'created_at', 'signs_from', 'expires_at'] })
  addRemoteOptions(list)
  const rotate = signingKeys
    .command('rotate')
    .summary('sign with a new key')
    .description(
      'Creates a new key. It starts to sign once every verifier has had time to fetch it. With --revoke-previous it signs at once, and tokens of earlier keys are refused. Asks before that, unless --yes is given.',
    )
    .option('--revoke-previous', 'refuse tokens of earlier keys; for an emergency: a private key may have leaked')
    .action(runRotate)
  examples(rotate, [
    ['rollbook signing-keys rotate', 'rotate without an interruption'],
    ['rollbook signing-keys rotate --revoke-previous', 'refuse all existing access tokens'],
  ])
  addWriteOptions(rotate)
  addOutputOptions(rotate, members)
  addRemoteOptions(rotate)
}

async function runRotate(options: RotateOptions): Promise<void> {
  const { revokePrevious: revoke_previous = false, dryRun = false } = options
  await withServer(options, async (client, signal) => {
    if (revoke_previous) await confirm('Refuse every access token issued so far?', options)
    const created = await client.signingKeys.rotate({ revoke_previous }, { signal, dryRun })
    await printOne(created, options)
    tell(
      dryRun ? 'Nothing was changed. The new key would be as shown.' : `The new key signs from ${created.signs_from}.`,
    )
  })
}
