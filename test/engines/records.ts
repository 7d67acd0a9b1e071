/** Reading what happened: the audit, the events, statistics, metrics and the state of the service. */
import type { Script } from './script.ts'

export async function records({ app, admin, visitor }: Script): Promise<void> {
  await app.storage.settle()
  const [first] = await admin('GET /audit?limit=5')
  await admin('GET /audit?action=user.*&outcome=success&limit=3')
  await admin(`GET /users/${first.target?.id ?? first.actor.id}/audit`)
  await admin('GET /audit/checkpoint')
  await admin('GET /events?limit=5&type=user.created')
  await admin('GET /events?after=nonsense', undefined, { refused: 400 })
  await admin('GET /statistics')
  await visitor('GET /health/live')
  await visitor('GET /health/ready')
  await app.call('GET', '/metrics')
  await app.call('GET', '/deployment')
}
