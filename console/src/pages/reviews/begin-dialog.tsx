import { Trans, useLingui } from '@lingui/react/macro'
import { Checkbox, NativeSelect, TextInput } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import type { CreateReview } from 'rollbook/client'
import { api } from '../../api/client.ts'
import { rolesQuery } from '../../data/roles.ts'
import { FormDialog } from '../../layout/form-dialog.tsx'
import { dayIn, endOfDay } from '../../parts/end-date/end-date.ts'
import type { Person } from '../../parts/user-finder/pasted-names.ts'
import { UserFinder } from '../../parts/user-finder/user-finder.tsx'
import { fieldFaults } from '../../ui/field-faults.ts'
import { useSubmit } from '../../ui/use-submit.ts'
import styles from './reviews.module.css'

const fields = ['name', 'due_at']
const usualDays = 30

export default function BeginDialog({ onClose }: { onClose: () => void }) {
  const { t } = useLingui()
  const navigate = useNavigate()
  const { data: roles = [] } = useQuery(rolesQuery)
  const [firstDay] = useState(() => dayIn(usualDays, Date.now()))
  const [name, setName] = useState('')
  const [day, setDay] = useState(firstDay)
  const [role, setRole] = useState('')
  const [q, setQ] = useState('')
  const [reviewers, setReviewers] = useState<readonly Person[]>([])
  const [removesOpen, setRemovesOpen] = useState(false)
  const body: CreateReview = {
    name: name.trim(),
    due_at: day === '' ? '' : endOfDay(day),
    filter: { ...(role !== '' && { role }), ...(q.trim() !== '' && { q: q.trim() }) },
    ...(reviewers.length > 0 && { reviewers: reviewers.map(({ user_id }) => user_id) }),
    remove_open: removesOpen,
  }
  const { submit, ...sending } = useSubmit(
    (sent: CreateReview, idempotencyKey) => api.reviews.create(sent, { idempotencyKey }),
    {
      stale: [['reviews']],
      onSuccess({ review_id }) {
        onClose()
        void navigate({ to: '/reviews/$reviewId', params: { reviewId: review_id } })
      },
    },
  )
  const { faults } = fieldFaults(sending.error, fields)
  return (
    <FormDialog
      title={t`Create review`}
      isDirty={name !== '' || day !== firstDay || role !== '' || q !== '' || reviewers.length > 0 || removesOpen}
      sending={sending}
      fields={fields}
      refusal={t`The review was not begun.`}
      calls={[{ operation: 'POST /reviews', body }]}
      action={<Trans>Create review</Trans>}
      onSubmit={() => submit(body)}
      onClose={onClose}
    >
      <TextInput
        label={t`Name`}
        data-autofocus
        required
        maxLength={128}
        autoComplete="off"
        value={name}
        onChange={({ currentTarget: { value } }) => setName(value)}
        error={faults.name}
      />
      <TextInput
        type="date"
        label={t`Due`}
        description={t`At the end of this day in UTC.`}
        required
        value={day}
        onChange={({ currentTarget: { value } }) => setDay(value)}
        error={faults.due_at}
      />
      <NativeSelect
        label={t`Users with the role`}
        data={[{ value: '', label: t`Every role` }, ...roles.map((one) => one.role)]}
        value={role}
        onChange={({ currentTarget: { value } }) => setRole(value)}
      />
      <TextInput
        label={t`Users who match`}
        description={t`Words of the name, username or email address. Empty: everybody with a permission.`}
        maxLength={256}
        autoComplete="off"
        value={q}
        onChange={({ currentTarget: { value } }) => setQ(value)}
      />
      <fieldset className={styles.reviewers}>
        <legend>
          <Trans>Reviewers</Trans>
        </legend>
        <p className={styles.quiet}>
          <Trans>Only they decide. Without any, everybody who may write reviews does.</Trans>
        </p>
        <UserFinder picked={reviewers} onPick={setReviewers} isFirst={false} />
      </fieldset>
      <Checkbox
        label={t`Remove the access that is not decided when the review is due`}
        checked={removesOpen}
        onChange={({ currentTarget: { checked } }) => setRemovesOpen(checked)}
      />
    </FormDialog>
  )
}
