import { Trans, useLingui } from '@lingui/react/macro'
import { Button } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import type { ApiKey } from 'rollbook/client'
import { api } from '../../api/client.ts'
import { ApiCallButton } from '../../api-call/button.tsx'
import { changedByKeysOfUsers } from '../../data/keys.ts'
import { Dialog, DialogFoot } from '../../ui/dialog.tsx'
import { Problem } from '../../ui/problem.tsx'
import { useSubmit } from '../../ui/use-submit.ts'
import { SecretOnce } from './secret-once.tsx'

type Props = { apiKey: ApiKey; onClose: () => void }

export default function RotateKeyDialog({ apiKey: { key_id, name }, onClose }: Props) {
  const { t } = useLingui()
  const queries = useQueryClient()
  const { submit, isPending, error, result } = useSubmit(
    (id: string, idempotencyKey) => api.keys.rotate(id, { idempotencyKey }),
    {
      onSuccess() {
        for (const queryKey of [['keys'], ...changedByKeysOfUsers]) void queries.invalidateQueries({ queryKey })
      },
    },
  )
  return (
    <Dialog isOpen loses={result === undefined ? undefined : 'secret'} onClose={onClose} title={t`Rotate key ${name}`}>
      {result === undefined ? (
        <>
          <p>
            <Trans>
              The key gets a new secret and keeps its name, permissions and expiry. The current secret is accepted for
              another day, unless configured otherwise, so that programs can switch one by one.
            </Trans>
          </p>
          <p>
            <Trans>If the secret may have leaked, revoke the key instead and create a new one.</Trans>
          </p>
          {error && <Problem error={error} title={t`The key was not rotated.`} />}
        </>
      ) : (
        <SecretOnce secret={result.key ?? ''} label={t`the new secret`}>
          <Trans>Store it where the program reads its key. Rotating again within a day ends the first secret.</Trans>
        </SecretOnce>
      )}
      <DialogFoot
        aside={
          result === undefined && (
            <ApiCallButton size="xs" calls={[{ operation: 'POST /keys/{key_id}/rotate', path: { key_id } }]} />
          )
        }
      >
        {result === undefined ? (
          <>
            <Button variant="default" onClick={onClose}>
              <Trans>Cancel</Trans>
            </Button>
            <Button loading={isPending} onClick={() => submit(key_id)} data-autofocus>
              <Trans>Rotate key</Trans>
            </Button>
          </>
        ) : (
          <Button onClick={onClose}>
            <Trans>I have saved it</Trans>
          </Button>
        )}
      </DialogFoot>
    </Dialog>
  )
}
