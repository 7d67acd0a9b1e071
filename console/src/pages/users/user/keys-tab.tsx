import { Trans, useLingui } from '@lingui/react/macro'
import { Button } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { lazy, Suspense, useState } from 'react'
import type { User } from 'rollbook/client'
import { useCan } from '../../../api/me.ts'
import { ApiCallButton } from '../../../api-call/button.tsx'
import { keysOfUserQuery } from '../../../data/keys.ts'
import { KeysOfUser } from '../../../parts/keys/keys-of-user.tsx'
import { useMayRank } from './use-may-rank.ts'

const CreateKeyDialog = lazy(() => import('../../../parts/keys/create-key-dialog.tsx'))

/** The keys of a service account, which administrators create for it. */
export function KeysTab({ user }: { user: User }) {
  const { t } = useLingui()
  const { user_id } = user
  const mayRank = useMayRank(user)
  const mayChange = useCan('keys:write', user) && mayRank
  const [isCreating, setIsCreating] = useState(false)
  return (
    <>
      <KeysOfUser
        title={t`Keys`}
        source={useQuery(keysOfUserQuery(user_id))}
        description={t`Keys for the program, which acts as this service account.`}
        empty={t`This service account has no keys, so it can do nothing.`}
        mayRevoke={mayChange}
        mayRotate={mayChange}
        actions={
          <>
            <ApiCallButton size="xs" calls={[{ operation: 'GET /users/{user_id}/keys', path: { user_id } }]} />
            {mayChange && (
              <Button size="xs" variant="default" onClick={() => setIsCreating(true)}>
                <Trans>Create key</Trans>
              </Button>
            )}
          </>
        }
      />
      <Suspense fallback={null}>
        {isCreating && <CreateKeyDialog account={user} onClose={() => setIsCreating(false)} />}
      </Suspense>
    </>
  )
}
