import { defineConfig } from 'vite';

export default defineConfig({
  // The page stands wherever the application puts it.
  base: './',
  // For `npm run dev`: the page from vite, the agent from the application.
  server: { proxy: { '/agents': 'http://127.0.0.1:8000' } },
});
