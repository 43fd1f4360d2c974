export const TasksView = () => <h1>Tasks</h1>;
