import { system } from '../../core/actor.ts'
import { each, gauge } from '../../core/metric-family.ts'
import { scopeOf } from '../../core/scope.ts'
import { storedMetrics } from '../../store/stored-metrics.ts'
import { countFactorOwners } from './store.ts'

export const metrics = storedMetrics({
  read: (db) => countFactorOwners(db, scopeOf(system)),
  families: (figures) => [
    gauge(
      'rollbook_users_with_factor',
      'Users with a second factor, by kind; any counts each user once.',
      async () => {
        const owners = await figures()
        return owners && each('kind', { any: owners.users, totp: owners.totp, passkey: owners.passkey })
      },
      ['kind'],
    ),
  ],
})
