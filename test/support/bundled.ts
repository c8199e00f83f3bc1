import { useBundle } from "../../cli/serve/packages.ts";

// `node --import` loads this before a program of a test's own: packages then come as `paylink` loads them, in half the time.
useBundle();
