import { Trans, useLingui } from '@lingui/react/macro'
import { Button, Group } from '@mantine/core'
import { api } from '../../api/client.ts'
import { ApiCallButton } from '../../api-call/button.tsx'
import { Problem } from '../../ui/problem.tsx'
import { showToast } from '../../ui/toasts.tsx'
import { useSubmit } from '../../ui/use-submit.ts'

type Props = { organizationId: string; domain: string }

/** Looks for the record, and says what was found instead. */
export function VerifyDomain({ organizationId: organization_id, domain }: Props) {
  const { t } = useLingui()
  const { submit, isPending, error } = useSubmit(
    (name: string, idempotencyKey) => api.organizations.verifyDomain(organization_id, name, { idempotencyKey }),
    {
      stale: [['organizations'], ['audit']],
      onSuccess() {
        showToast({ message: t`${domain} is verified.` })
      },
    },
  )
  return (
    <>
      {error && <Problem error={error} title={t`The domain is not verified.`} />}
      <Group gap={8}>
        <Button loading={isPending} onClick={() => submit(domain)}>
          <Trans>Look for the record now</Trans>
        </Button>
        <ApiCallButton
          size="xs"
          calls={[
            {
              operation: 'POST /organizations/{organization_id}/domains/{domain}/verify',
              path: { organization_id, domain },
            },
          ]}
        />
      </Group>
    </>
  )
}
