import { Trans, useLingui } from '@lingui/react/macro'
import { Button, Group, Modal } from '@mantine/core'
import { useBlocker } from '@tanstack/react-router'

/** Asks before what was typed is lost: on the way to another page of the console, or out of it. */
export function UnsavedChanges({ isDirty }: { isDirty: boolean }) {
  const { t } = useLingui()
  const { status, proceed, reset } = useBlocker({
    shouldBlockFn: ({ current, next }) => isDirty && current.pathname !== next.pathname,
    enableBeforeUnload: () => isDirty,
    withResolver: true,
  })
  return (
    <Modal
      opened={status === 'blocked'}
      onClose={() => reset?.()}
      title={t`Leave without saving?`}
      closeButtonProps={{ 'aria-label': t`Close` }}
    >
      <p style={{ marginTop: 0 }}>
        <Trans>What you changed on this page has not been saved.</Trans>
      </p>
      <Group justify="flex-end" gap="xs">
        <Button variant="default" onClick={() => proceed?.()}>
          <Trans>Leave, and lose it</Trans>
        </Button>
        <Button data-autofocus onClick={() => reset?.()}>
          <Trans>Stay</Trans>
        </Button>
      </Group>
    </Modal>
  )
}
