import { Trans, useLingui } from '@lingui/react/macro'
import { Button, Group } from '@mantine/core'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { RollbookError } from 'rollbook/client'
import { api } from '../../../api/client.ts'
import { useCan } from '../../../api/me.ts'
import { ApiCallButton } from '../../../api-call/button.tsx'
import { lastSearch } from '../../../data/search/last-users.ts'
import { restorableQuery, userKey } from '../../../data/users.ts'
import { Page } from '../../../layout/page.tsx'
import styles from '../../../parts/user-details/user.module.css'
import { BackLink } from '../../../ui/back-link.tsx'
import { Problem } from '../../../ui/problem.tsx'
import { Section } from '../../../ui/section.tsx'
import { useSubmit } from '../../../ui/use-submit.ts'

/** There is no user with this ID. A deleted one may be restorable. */
export function MissingUser({ userId }: { userId: string }) {
  const { t } = useLingui()
  const queries = useQueryClient()
  const mayRestore = useCan('users:write')
  const { data: deleted, error } = useQuery({ ...restorableQuery(userId), enabled: mayRestore })
  const restoration = useSubmit((id: string, idempotencyKey) => api.users.restore(id, { idempotencyKey }), {
    stale: [['users'], ['deleted-users']],
    onSuccess(user) {
      queries.setQueryData(userKey(userId), user)
    },
  })
  const isTaken = error instanceof RollbookError && error.status === 409
  return (
    <Page title={deleted ? t`${deleted.username} was deleted` : t`User not found`} back={<BackToUsers />}>
      <Section
        title={deleted ? t`Restore this user` : t`No user has this ID`}
        description={
          deleted
            ? t`The user keeps the same ID, role and password. Earlier sessions stay ended.`
            : t`The user was erased, or the address is incomplete.`
        }
        actions={
          deleted ? (
            <Button loading={restoration.isPending} onClick={() => restoration.submit(userId)}>
              <Trans>Restore</Trans>
            </Button>
          ) : undefined
        }
      >
        {isTaken && <Problem error={error} title={t`This user was deleted and cannot be restored at the moment.`} />}
        {restoration.error && <Problem error={restoration.error} title={t`The user was not restored.`} />}
        <p className={styles.said}>
          <code dir="ltr">{userId}</code>
        </p>
        <Group gap={8}>
          <Link to="/deleted-users">
            <Trans>Deleted users</Trans>
          </Link>
          <span className={styles.gap} />
          <ApiCallButton calls={[{ operation: 'POST /users/{user_id}/restore', path: { user_id: userId } }]} />
        </Group>
      </Section>
    </Page>
  )
}

export function BackToUsers() {
  return (
    <BackLink to="/users" search={lastSearch()}>
      <Trans>Users</Trans>
    </BackLink>
  )
}
