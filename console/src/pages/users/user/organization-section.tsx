import { Trans, useLingui } from '@lingui/react/macro'
import { Button, Stack } from '@mantine/core'
import { lazy, Suspense, useState } from 'react'
import type { User } from 'rollbook/client'
import { useCanEverywhere } from '../../../api/me.ts'
import { useOrganizationsInUse } from '../../../data/organizations.ts'
import { OrganizationLink } from '../../../parts/organizations/organization-link.tsx'
import { Section } from '../../../ui/section.tsx'

const MoveDialog = lazy(() => import('./move-dialog.tsx'))

/** To which organization the user belongs. Left out where organizations are not used. */
export function OrganizationSection({ user }: { user: User }) {
  const { t } = useLingui()
  const isInUse = useOrganizationsInUse()
  const mayWrite = useCanEverywhere('users:write')
  const [isMoving, setIsMoving] = useState(false)
  if (!isInUse) return null
  return (
    <Section
      title={t`Organization`}
      actions={
        mayWrite && (
          <Button size="xs" variant="default" onClick={() => setIsMoving(true)}>
            <Trans>Change organization</Trans>
          </Button>
        )
      }
    >
      <Stack gap="md">
        {user.organization_id === undefined ? (
          <Trans>The user belongs to none.</Trans>
        ) : (
          <OrganizationLink organizationId={user.organization_id} />
        )}
      </Stack>
      <Suspense fallback={null}>{isMoving && <MoveDialog user={user} onClose={() => setIsMoving(false)} />}</Suspense>
    </Section>
  )
}
