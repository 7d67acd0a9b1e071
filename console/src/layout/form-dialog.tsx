import { Trans } from '@lingui/react/macro'
import { Button } from '@mantine/core'
import type { FormEvent, ReactNode } from 'react'
import type { ApiCall } from '../api/call.ts'
import { ApiCallButton } from '../api-call/button.tsx'
import { Dialog, DialogFoot } from '../ui/dialog.tsx'
import { fieldFaults } from '../ui/field-faults.ts'
import { Problem } from '../ui/problem.tsx'

/** The state of the request that a dialog sends, as `useSubmit` returns it. */
type Sending = { isPending: boolean; error: Error | null }

type DialogProps = {
  title: string
  size?: 'md' | 'lg'
  sending: Sending
  /** The heading above a refusal: `The group was not created.` */
  refusal: string
  /** The requests that the dialog sends. */
  calls: readonly ApiCall[]
  /** The text of the button that sends them. */
  action: ReactNode
  children: ReactNode
  onClose: () => void
}

type FormProps = DialogProps & {
  /** Whether closing would lose what was entered. */
  isDirty: boolean
  /** The members of the request whose faults are at their fields. */
  fields?: readonly string[]
  /** Shown in place of the refusal: after a conflict, for example. */
  problem?: ReactNode
  /** It cannot be sent. */
  isDisabled?: boolean
  /** The fields are checked by the form, not by the browser. */
  noValidate?: boolean
  onSubmit: (event: FormEvent<HTMLFormElement>) => void
}

const noFields: readonly string[] = []

/** A dialog with fields: asks before entered values are lost, and shows what no field shows of a refusal. */
export function FormDialog(props: FormProps) {
  const { title, size = 'md', isDirty, sending, fields = noFields, problem, refusal } = props
  const { hasMore } = fieldFaults(sending.error, fields)
  return (
    <Dialog isOpen loses={isDirty ? 'input' : undefined} onClose={props.onClose} title={title} size={size}>
      <form
        onSubmit={(event) => {
          // For forms that are not of Mantine, too.
          event.preventDefault()
          props.onSubmit(event)
        }}
        noValidate={props.noValidate}
        style={{ display: 'contents' }}
      >
        {props.children}
        {problem === undefined ? hasMore && <Problem error={sending.error} title={refusal} /> : problem}
        <FormFoot
          calls={props.calls}
          isPending={sending.isPending}
          isDisabled={props.isDisabled}
          onCancel={props.onClose}
        >
          {props.action}
        </FormFoot>
      </form>
    </Dialog>
  )
}

type FootProps = {
  calls: readonly ApiCall[]
  isPending: boolean
  isDisabled?: boolean | undefined
  onCancel: () => void
  children: ReactNode
}

/** The foot of a form in a dialog: its requests, a way out, and the button that submits it. */
export function FormFoot({ calls, isPending, isDisabled = false, onCancel, children }: FootProps) {
  return (
    <DialogFoot aside={<ApiCallButton size="xs" calls={calls} />}>
      <Button variant="default" onClick={onCancel}>
        <Trans>Cancel</Trans>
      </Button>
      <Button type="submit" loading={isPending} disabled={isDisabled}>
        {children}
      </Button>
    </DialogFoot>
  )
}

type ConfirmProps = DialogProps & {
  /** It cannot be undone: the button is red. */
  isDangerous?: boolean
  /** The dialog still finds out what the change would do. */
  isWaiting?: boolean
  /** It cannot be done. */
  isDisabled?: boolean
  /** Where the keyboard is at first. `none`: a field of the dialog has it. */
  focus?: 'cancel' | 'action' | 'none'
  onConfirm: () => void
}

/** A dialog that says what a change does, and asks before it. */
export function ConfirmDialog(props: ConfirmProps) {
  const { title, size = 'md', sending, refusal, focus = 'cancel', isDangerous = false, isWaiting = false } = props
  return (
    <Dialog isOpen onClose={props.onClose} title={title} size={size}>
      {props.children}
      {sending.error && <Problem error={sending.error} title={refusal} />}
      <DialogFoot aside={<ApiCallButton size="xs" calls={props.calls} />}>
        <Button variant="default" onClick={props.onClose} data-autofocus={focus === 'cancel' || undefined}>
          <Trans>Cancel</Trans>
        </Button>
        <Button
          {...(isDangerous && { color: 'red.9' })}
          data-autofocus={focus === 'action' || undefined}
          loading={sending.isPending || isWaiting}
          disabled={props.isDisabled ?? false}
          onClick={props.onConfirm}
        >
          {props.action}
        </Button>
      </DialogFoot>
    </Dialog>
  )
}
