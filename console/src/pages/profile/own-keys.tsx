import { Trans, useLingui } from '@lingui/react/macro'
import { Button } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { lazy, Suspense, useState } from 'react'
import { ApiCallButton } from '../../api-call/button.tsx'
import { ownKeysQuery } from '../../data/keys.ts'
import { KeysOfUser } from '../../parts/keys/keys-of-user.tsx'

const CreateKeyDialog = lazy(() => import('../../parts/keys/create-key-dialog.tsx'))

export function OwnKeys() {
  const { t } = useLingui()
  const [isCreating, setIsCreating] = useState(false)
  return (
    <>
      <KeysOfUser
        title={t`Personal keys`}
        source={useQuery(ownKeysQuery)}
        isOwn
        description={t`Keys for your own programs and scripts, which act as you.`}
        empty={t`You have no personal keys.`}
        actions={
          <>
            <ApiCallButton size="xs" calls={[{ operation: 'GET /me/keys' }]} />
            <Button size="xs" variant="default" onClick={() => setIsCreating(true)}>
              <Trans>Create personal key</Trans>
            </Button>
          </>
        }
      />
      <Suspense fallback={null}>
        {isCreating && <CreateKeyDialog isPersonal onClose={() => setIsCreating(false)} />}
      </Suspense>
    </>
  )
}
