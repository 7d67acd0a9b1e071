/** `rollbook secrets`: changes the secret that encrypts others in the store. */
import type { Command } from 'commander'
import { counted } from '../../lib/amounts.ts'
import type { Rotated } from '../../store/secrets/rotation.ts'
import { examples } from '../terminal/examples.ts'
import { tell } from '../terminal/output.ts'

type Options = { dataDir?: string; dryRun?: boolean; discardUnreadable?: boolean }

export function addSecrets(program: Command): void {
  const secrets = program
    .command('secrets')
    .summary('change the secret that encrypts others in the store')
    .description('Works on the store directly, without credentials, for operators with access to the host.')
  examples(secrets, [
    ['rollbook secrets rotate --dry-run', 'count what would be encrypted'],
    ['rollbook secrets rotate', 'encrypt everything with the new secret'],
  ])
  const rotate = secrets
    .command('rotate')
    .summary('encrypt everything with the new secret')
    .description(
      'Encrypts every secret in the store with ROLLBOOK_KEY_ENCRYPTION_SECRET, in one transaction; ROLLBOOK_KEY_ENCRYPTION_SECRET_PREVIOUS is the secret they were encrypted with. On SQLite the service must be stopped; on PostgreSQL it may run if every node has both secrets. Uses the configuration of the service. The audit records it. If some secrets cannot be decrypted, nothing is changed and the exit status is 78.',
    )
    .option('--discard-unreadable', 'give up secrets that cannot be decrypted, because their encryption secret is lost')
    .option('--dry-run', 'count what would be encrypted, but change nothing')
    .option('--data-dir <directory>', 'data directory of the SQLite store (default: the configured store)')
    .action(runRotate)
  examples(rotate, [
    ['rollbook secrets rotate --dry-run', 'count what would be encrypted'],
    ['rollbook secrets rotate', 'encrypt everything with the new secret'],
  ])
}

async function runRotate({ dataDir, dryRun = false, discardUnreadable = false }: Options): Promise<void> {
  const { rotateSecrets } = await import('./secrets-rotate.ts')
  const done = await rotateSecrets({ dataDir, dryRun, discard: discardUnreadable })
  if (dryRun) tell('Nothing was changed. This would be done:')
  tell(`Encrypted with the new secret: ${listed(done, 'sealed')}.`)
  const lost = listed(done, 'lost')
  if (lost !== 'nothing') {
    tell(`Given up: ${lost}.`)
    for (const one of done) if (one.lost > 0) tell(`  ${remedies[one.name]}`)
  }
  if (!dryRun) tell('Remove ROLLBOOK_KEY_ENCRYPTION_SECRET_PREVIOUS when rollbook doctor finds that nothing needs it.')
}

const remedies: Record<Rotated[number]['name'], string> = {
  signing_keys: 'The next start creates a new signing key. Access tokens are refused, and clients get new ones.',
  own_secrets:
    'The next start creates new ones. Responses stored for an Idempotency-Key of an access token are forgotten.',
  one_time_codes:
    'Users with one-time codes can sign in with a recovery code or a passkey. For others: rollbook factors reset.',
  webhooks:
    'These webhooks are switched off. Rotate their secrets, give the receivers the new ones, and switch them on.',
  connections: 'Set the secrets of these connections again, for example with rollbook connections update.',
}

function listed(done: Rotated, sort: 'sealed' | 'lost'): string {
  const some = done.filter((one) => one[sort] > 0).map((one) => counted(one[sort], ...one.words))
  return some.join(', ') || 'nothing'
}
