/** The executable: it serves, unless a command of src/cli is given. */

const args = process.argv.slice(2)

// Each by an import of its own: a server pays in memory for every module that is loaded, and the commands need many.
if (args.length === 0 || (args.length === 1 && args[0] === 'serve')) {
  const { serveUntilStopped } = await import('./cli/serve.ts')
  await serveUntilStopped()
} else {
  const { run } = await import('./cli/program.ts')
  // Node 26 sometimes never comes to its end by itself after connections were cut (see test/end-at-exit.ts).
  process.once('beforeExit', () => process.on('exit', (code) => process.exit(code)))
  process.exitCode = await run(args)
}
